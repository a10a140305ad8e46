import Glibc
import SystemPackage

/// A file that this recording creates: never one that was there before.
///
/// To replace an existing file it is written beside it under a hidden name, and takes its place only when
/// it is whole.
struct NewFile: ~Copyable {
    /// Where the file is to be.
    let path: String
    /// Open for reading and writing.
    let descriptor: FileDescriptor
    private let writingPath: String

    /// Refuses a path that cannot become a new file, without touching anything.
    static func check(path: String, replacesExisting: Bool) throws(ACCAudioRecorderError) {
        let what = "cannot create '\(path)'"
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw .outputFailed(
                    .init(.cannotCreate, what, cause: "it is a directory", remedy: "Name a file in it."))
            }
            guard replacesExisting else {
                throw .outputFailed(
                    .init(
                        .fileExists, what, cause: "it exists already",
                        remedy: "Choose another name, or ask for it to be replaced."))
            }
        }
        let directory = directory(of: path)
        guard stat(directory, &status) == 0 else {
            throw .outputFailed(
                .init(
                    .cannotCreate, what,
                    cause: "the directory '\(directory)' cannot be used: \(Errno(rawValue: errno))",
                    remedy: "Make the directory first, or choose another."))
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw .outputFailed(
                .init(
                    .cannotCreate, what,
                    cause: "the directory '\(directory)' cannot be written: \(Errno(rawValue: errno))",
                    remedy: "Choose a directory that you can write."))
        }
    }

    /// Creates the file.
    init(path: String, replacesExisting: Bool) throws(ACCAudioRecorderError) {
        self.path = path
        writingPath = Self.writingPath(for: path, replacesExisting: replacesExisting)
        do {
            descriptor = try FileDescriptor.open(
                FilePath(writingPath), .readWrite, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
        } catch {
            throw .outputFailed(
                .init(
                    .cannotCreate, "cannot create '\(path)'", cause: "\(error)",
                    remedy: "Choose a name and a directory that you can write."))
        }
    }

    /// Closes the file and puts it in its place.
    ///
    /// - Returns: Its size in bytes.
    consuming func keep() throws(ACCAudioRecorderError) -> Int {
        do {
            let size = try Int(descriptor.seek(offset: 0, from: .end))
            try descriptor.close()
            guard writingPath == path || rename(writingPath, path) == 0 else { throw Errno(rawValue: errno) }
            return size
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot complete '\(path)'", cause: "\(error)",
                    remedy: "What was recorded is in '\(writingPath)'."))
        }
    }

    /// Closes the file and removes it.
    consuming func remove() {
        // Nothing of worth can be lost by a failure of either: the file is unwanted.
        unlink(writingPath)
        try? descriptor.close()
    }

    /// Where a file is until it is whole.
    static func writingPath(for path: String, replacesExisting: Bool) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return replacesExisting ? "\(directory(of: path))/.\(name).\(getpid()).part" : path
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
