import Glibc
import SystemPackage

/// The identity of a file, independent of its names.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }

    /// The file that a path leads to; nil if there is none.
    init?(path: UnsafePointer<CChar>) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The open file; nil for a descriptor that is not open.
    init?(_ descriptor: FileDescriptor) {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// A version of a file: differs once the file was changed, or replaced by one with the same inode number.
package struct FileVersion: Hashable, Sendable {
    private let identity: FileIdentity
    let byteCount: Int
    private let modification: [Int]

    init(_ status: stat) {
        identity = FileIdentity(status)
        byteCount = Int(status.st_size)
        modification = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// The file at a path; nil if there is none. Does not follow a symbolic link.
    package init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether this is the same file, perhaps changed.
    func isSameFile(as other: FileVersion) -> Bool { identity == other.identity }

    /// The file that a path leads to; nil if there is none.
    package init?(target path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The open file; nil for a descriptor that is not open.
    init?(_ descriptor: FileDescriptor) {
        var status = stat()
        guard fstat(descriptor.rawValue, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// A key that two paths, or a path and a descriptor, share if they lead to the same file.
///
/// A path has up to two keys: the existing file, which detects hard links, and its place, which exists for a file that
/// is yet to be created too. Devices have none: several writers of `/dev/null` do no harm.
package enum FileKey: Hashable, Sendable {
    case file(FileIdentity)
    /// An existing directory, and the relative path of a file in it.
    case place(FileIdentity, String)

    /// The keys of a path.
    package static func keys(ofPath path: String) -> [FileKey] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [place(of: path, linksLeft: 40)].compactMap(\.self) }
        guard let file = key(of: status) else { return [] }
        guard let real = realpath(path, nil) else { return [file] }
        defer { free(real) }
        return [file, place(of: String(cString: real), linksLeft: 0)].compactMap(\.self)
    }

    /// The keys of the file that a descriptor writes to.
    package static func keys(ofDescriptor descriptor: Int32) -> [FileKey] {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? [key(of: status)].compactMap(\.self) : []
    }

    private static func key(of status: stat) -> FileKey? {
        [S_IFREG, S_IFIFO].contains(status.st_mode & S_IFMT) ? .file(FileIdentity(status)) : nil
    }

    /// The place that a file will have if it is created at this path.
    private static func place(of path: String, linksLeft: Int) -> FileKey? {
        guard path.utf8.count < Int(PATH_MAX) else { return nil }
        var directory = FilePath(path)
        guard let name = directory.lastComponent else { return nil }
        directory.removeLastComponent()
        // A link that leads to nothing yet.
        if linksLeft > 0, let target = linkTarget(of: path) {
            return place(of: directory.pushing(FilePath(target)).string, linksLeft: linksLeft - 1)
        }
        // A missing directory may be created later.
        var names = [name.string]
        if FileIdentity(path: directory.isEmpty ? "." : directory.string) == nil { directory.lexicallyNormalize() }
        while true {
            if let identity = FileIdentity(path: directory.isEmpty ? "." : directory.string) {
                return .place(identity, names.reversed().joined(separator: "/"))
            }
            guard let missing = directory.lastComponent else { return nil }
            names.append(missing.string)
            directory.removeLastComponent()
        }
    }

    private static func linkTarget(of path: String) -> String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard readlink(path, &target, target.count - 1) >= 0 else { return nil }
        return target.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
