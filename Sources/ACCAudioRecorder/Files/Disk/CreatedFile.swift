import Glibc
import SystemPackage

/// A file that was created, with its version to recognise it by later.
struct CreatedFile: Sendable {
    let path: String
    let version: FileVersion?
    /// The older file that has the name it was to have; nil if it has that name.
    var older: Older?

    /// Removes the file, unless it was changed or replaced.
    ///
    /// - Parameter successor: What a program that was run for the file has made of it.
    /// - Returns: False if it was gone.
    func remove(orAs successor: FileVersion? = nil) throws(Errno) -> Bool {
        guard let present = FileVersion(path: path) else { return false }
        guard present == version || present == successor else { throw .fileExists }
        guard unlink(path) == 0 else {
            if errno == ENOENT { return false }
            throw Errno(rawValue: errno)
        }
        return true
    }

    /// Moves the file to the name that it was to have, and so replaces the older one.
    ///
    /// - Parameter moved: The present path for an earlier one.
    func replaceOlder(_ moved: (String) -> String) throws(Errno) -> CreatedFile {
        guard let older else { return self }
        let (source, target) = (moved(path), moved(older.target))
        guard let version, FileVersion(path: source)?.isSameFile(as: version) == true, older.permits(target)
        else { throw .fileExists }
        guard rename(source, target) == 0 else { throw Errno(rawValue: errno) }
        if let directory = try? OutputDirectory(AtomicFile.directory(of: target)), let failure = directory.sync() {
            throw failure
        }
        return CreatedFile(path: moved(older.path), version: version)
    }
}

extension CreatedFile {
    /// An existing file that a new one is to replace.
    struct Older: Sendable {
        /// Its path as the user gave it, and with symbolic links resolved.
        let path: String
        let target: String
        /// Nil if whatever is there may be replaced.
        let replaceable: Set<FileVersion>?

        /// Whether what is at this path now may be replaced: nothing, or a regular file that no recording is writing.
        func permits(_ target: String) -> Bool {
            var status = stat()
            guard lstat(target, &status) == 0 else { return errno == ENOENT }
            return Self.permits(status, replaceable) && FileLock.state(of: target) != .held
        }

        static func permits(_ status: stat, _ replaceable: Set<FileVersion>?) -> Bool {
            status.st_mode & S_IFMT == S_IFREG && replaceable?.contains(FileVersion(status)) ?? true
        }
    }
}

/// Says that a recording is writing a file: an advisory lock, which the system releases when the process ends, and which
/// other processes see whatever their process ids.
enum FileLock {
    enum State {
        case held, free
        /// The file cannot be opened, or its file system has no locks.
        case unknown
    }

    /// Holds the lock until it is released, or the process ends. A file system without locks needs none.
    static func hold(_ descriptor: FileDescriptor) {
        _ = flock(descriptor.rawValue, LOCK_EX | LOCK_NB)
    }

    /// Releases the lock before the descriptor is closed: a program that is being started has a copy of the descriptor for a
    /// moment, which would keep it.
    static func release(_ descriptor: FileDescriptor) {
        _ = flock(descriptor.rawValue, LOCK_UN)
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
