import FoundationEssentials
import Glibc
import SystemPackage

/// How much room a disk has, as its file system tells it to those who do not administer it.
///
/// The last of it is held back (``reserve``), so that a take can be completed before its disk is full. It is a matter of
/// not writing, rather than of taking room in advance: that works on every file system, and leaves nothing behind that
/// would have to be given back after a crash. Another program may still take it.
public struct DiskRoom: Sendable, Hashable {
    /// What is held back for the end of a file, in bytes: what its encoder has not written yet, and its markers.
    public static let reserve = 128 << 10

    /// Everything that is free, in bytes.
    public let byteCount: Int

    /// The room on the disk that a file or a directory is on; nil where the system does not tell.
    public init?(path: String) {
        var disk = statvfs()
        guard statvfs(path, &disk) == 0 else { return nil }
        self.init(disk)
    }

    /// The room on the disk of a file that is open; nil where that is no file, or the system does not tell.
    init?(descriptor: FileDescriptor) {
        var (status, disk) = (stat(), statvfs())
        guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            fstatvfs(descriptor.rawValue, &disk) == 0
        else { return nil }
        self.init(disk)
    }

    private init?(_ disk: statvfs) {
        // Some file systems that are no disks say nothing.
        guard disk.f_blocks > 0, disk.f_frsize > 0 else { return nil }
        let (bytes, isTooMany) = disk.f_bavail.multipliedReportingOverflow(by: disk.f_frsize)
        byteCount = isTooMany ? .max : Int(clamping: bytes)
    }

    /// What may be written, in bytes.
    public var usableByteCount: Int { max(byteCount - Self.reserve, 0) }

    /// For how many seconds it lasts at so many bytes a second, more than 0.
    public func duration(growingBy bytesPerSecond: Double) -> TimeInterval {
        Double(usableByteCount) / bytesPerSecond
    }
}
