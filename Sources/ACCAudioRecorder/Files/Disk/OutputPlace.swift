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
            guard replacesExisting, replaceable == nil || OlderFile.permits(status, replaceable) else {
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
