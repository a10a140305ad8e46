import Glibc
import SystemPackage

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
