import Glibc
import SystemPackage

/// Says that a recording is writing a file: an advisory lock, which the system releases when the process ends, and which
/// other processes see whatever their process ids.
enum FileLock {
    enum State {
        case held, free
        /// The file cannot be opened, or its file system has no locks.
        case unknown
    }

    /// Holds the lock until the descriptor is closed. A file system without locks needs none.
    static func hold(_ descriptor: FileDescriptor) {
        _ = flock(descriptor.rawValue, LOCK_EX | LOCK_NB)
    }

    /// Whether a recording is writing the file of this name.
    ///
    /// - Parameter directory: The directory of a relative path.
    static func state(of path: String, in directory: Int32 = AT_FDCWD) -> State {
        let number = openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { return .unknown }
        defer { close(number) }
        return state(of: FileDescriptor(rawValue: number))
    }

    /// Whether a recording is writing the open file. If none is, none may while this one is open.
    static func state(of file: FileDescriptor) -> State {
        if flock(file.rawValue, LOCK_SH | LOCK_NB) == 0 { return .free }
        return errno == EWOULDBLOCK ? .held : .unknown
    }
}
