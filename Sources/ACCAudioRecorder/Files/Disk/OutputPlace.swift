import FoundationEssentials
import Glibc
import SystemPackage

/// What exists at the path of an output before it is opened.
enum OutputPlace {
    /// Nothing, or a file that may be replaced.
    case file
    /// A named pipe or a device: samples are written to it directly.
    case stream

    /// Checks the path without changing anything.
    ///
    /// - Parameters:
    ///   - replaceable: Of existing files, those that may be replaced; nil for any.
    ///   - makesDirectories: Whether missing directories will be created first.
    /// - Throws: `outputFailed` for a path that cannot be an output.
    init(
        path: String, replacesExisting: Bool, replaceable: Set<FileVersion>? = nil, makesDirectories: Bool = false
    ) throws(ACCAudioRecorderError) {
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw Self.refusal(path, cause: "that is not a file name", remedy: "Name a file.")
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let failure = Errno(rawValue: errno)
            guard failure != .fileNameTooLong, failure != .tooManySymbolicLinkLevels else {
                throw Self.refusal(path, cause: "\(failure)", remedy: "Use another name.")
            }
            guard lstat(path, &status) != 0 else {
                throw Self.refusal(
                    path, .fileExists, cause: "it is a broken symbolic link",
                    remedy: "Name the file it should point to.")
            }
            try Self.checkDirectory(
                AtomicFile.directory(of: path), makesDirectories: makesDirectories, for: "cannot create '\(path)'")
            self = .file
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            let target = AtomicFile.target(of: path)
            guard replacesExisting, replaceable == nil || CreatedFile.Older.permits(status, replaceable) else {
                throw .fileExists("cannot create '\(path)'", cause: "it already exists")
            }
            guard FileLock.state(of: target) != .held else {
                throw Self.refusal(
                    path, .fileExists, cause: "another recording is writing it",
                    remedy: "Wait until that has ended, or use another name.")
            }
            try Self.checkDirectory(
                AtomicFile.directory(of: target), makesDirectories: false,
                for: "cannot replace '\(path)'")
            self = .file
        case S_IFIFO, S_IFCHR:
            guard access(path, W_OK) == 0 else {
                throw Self.refusal(
                    path, cause: "it is not writable (\(Errno(rawValue: errno)))",
                    remedy: "Name something you can write to.")
            }
            self = .stream
        case S_IFDIR:
            throw Self.refusal(path, cause: "it is a directory", remedy: "Name a file in that directory.")
        case S_IFBLK:
            throw Self.refusal(
                path, cause: "it is a block device, whose contents would be lost", remedy: "Name a file on that device."
            )
        default:
            throw Self.refusal(path, cause: "it is a socket", remedy: "Name a file or a pipe.")
        }
    }

    /// Whether there is a named pipe or a device at this path.
    static func isStream(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
    }

    /// Throws an error if no file can be created in a directory.
    ///
    /// - Parameter what: What cannot be done then, for the error.
    static func checkDirectory(
        _ directory: String, makesDirectories: Bool, for what: String
    ) throws(ACCAudioRecorderError) {
        var status = stat()
        if makesDirectories, stat(directory, &status) != 0, errno == ENOENT {
            return try checkDirectory(AtomicFile.directory(of: directory), makesDirectories: true, for: what)
        }
        guard stat(directory, &status) == 0 else {
            let cause = Errno(rawValue: errno)
            throw .outputFailed(
                .init(
                    .cannotCreate, what,
                    cause: cause == .noSuchFileOrDirectory
                        ? "there is no directory '\(directory)'"
                        : "the directory '\(directory)' cannot be used: \(cause)",
                    remedy: "Create it, or use another directory.", recoveryOption: .createDirectory))
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw .outputFailed(
                .init(
                    .cannotCreate, what,
                    cause: "the directory '\(directory)' is not writable (\(Errno(rawValue: errno)))",
                    remedy: "Choose a directory you can write to."))
        }
        if let room = DiskRoom(path: directory), room.usableByteCount == 0 {
            throw .outputFailed(
                .init(
                    .diskFull, what, cause: "its disk has only \(room.byteCount) bytes left",
                    remedy: "Free some space, or record to another disk."))
        }
    }

    private static func refusal(
        _ path: String, _ reason: ACCAudioRecorderError.Failure.Reason = .cannotCreate, cause: String, remedy: String
    ) -> ACCAudioRecorderError {
        .outputFailed(.init(reason, "cannot create '\(path)'", cause: cause, remedy: remedy))
    }
}

/// The directory of a file that is being written. It is kept open, so that it stays the same one when it is renamed or
/// moved, and can be synced even when the process has run out of descriptors.
final class OutputDirectory: Sendable {
    let descriptor: FileDescriptor
    /// Its path when it was opened.
    let path: String
    /// A directory with write but not read permission cannot be synced.
    private let isReadable: Bool

    /// `O_PATH`, which Swift's Glibc module lacks.
    private static let pathOnly: Int32 = 0o10_000_000

    init(_ path: String) throws(Errno) {
        self.path = path
        var number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        isReadable = number >= 0
        if number < 0, errno == EACCES { number = open(path, Self.pathOnly | O_DIRECTORY | O_CLOEXEC) }
        guard number >= 0 else { throw Errno(rawValue: errno) }
        descriptor = FileDescriptor(rawValue: number)
    }

    deinit {
        // Nothing was written through it.
        try? descriptor.close()
    }

    /// Its current path if it was renamed; nil if it is still at its old path.
    var newPath: String? {
        let found = descriptor.currentPath(knownAs: path)
        return found == path ? nil : found
    }

    var hasMoved: Bool { newPath != nil }

    /// The current path of a file in it.
    func path(of name: String) -> String {
        let path = newPath ?? path
        return path == "." ? name : path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// The current path of a file in it, given an earlier one.
    func currentPath(of path: String) -> String {
        hasMoved ? self.path(of: FilePath(path).lastComponent?.string ?? path) : path
    }

    /// The status of a file in it; nil if there is none. Does not follow a symbolic link.
    func status(of name: String) -> stat? {
        var status = stat()
        return fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Whether a file in it can be neither changed nor replaced, whatever the permissions: `chattr +i`.
    func isImmutable(_ name: String) -> Bool {
        faccessat(descriptor.rawValue, name, W_OK, AT_EACCESS) != 0 && errno == EPERM
    }

    /// Syncs the directory, so that files created or renamed in it can be found after a power cut.
    ///
    /// - Returns: The error, if any.
    func sync() -> Errno? {
        isReadable ? descriptor.sync(isDirectory: true) : nil
    }
}

extension FileDescriptor {
    /// The current path of the open file or directory: the known one, if it still leads there, or else the one it was
    /// moved to. Nil if it cannot be found.
    func currentPath(knownAs path: String) -> String? {
        guard let own = FileIdentity(self) else { return nil }
        if FileIdentity(path: path) == own { return path }
        // Compares bytes, since a name need not be UTF-8.
        var link = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink("/proc/self/fd/\(rawValue)", &link, link.count - 1) > 0, FileIdentity(path: link) == own
        else { return nil }
        return link.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}

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
