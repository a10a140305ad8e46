import FoundationEssentials
import Glibc
import SystemPackage

/// The free space on a disk, as available to unprivileged users.
///
/// The last ``reserve`` bytes are not used, so that a recording can be completed before its disk is full. The space is
/// not allocated in advance: that way it works on every file system, and nothing has to be freed after a crash; but
/// another program may use it.
public struct DiskRoom: Sendable, Hashable {
    /// Space kept free for the end of a file, in bytes: for data still in its encoder, and its markers.
    public static let reserve = 128 << 10

    /// The free space in bytes.
    public let byteCount: Int

    /// The free space on the disk of a file or directory; nil if the system does not tell.
    public init?(path: String) {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return nil }
        self.init(disk)
    }

    /// The free space on the disk of an open file; nil if it is not a regular file, or the system does not tell.
    init?(descriptor: FileDescriptor) {
        var (status, disk) = (stat(), statvfs())
        guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            fstatvfs(descriptor.rawValue, &disk) == 0
        else { return nil }
        self.init(disk)
    }

    private init?(_ disk: statvfs) {
        // Some virtual file systems state nothing.
        guard disk.f_blocks > 0, disk.f_frsize > 0 else { return nil }
        let (bytes, isTooMany) = disk.f_bavail.multipliedReportingOverflow(by: disk.f_frsize)
        byteCount = isTooMany ? .max : Int(clamping: bytes)
    }

    /// The number of bytes that may be written.
    public var usableByteCount: Int { max(byteCount - Self.reserve, 0) }

    /// How many seconds it lasts at this growth rate, which must be above 0.
    public func duration(growingBy bytesPerSecond: Double) -> TimeInterval {
        Double(usableByteCount) / bytesPerSecond
    }
}
