import FoundationEssentials
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
    private let isSynced: Bool

    /// Refuses a path that cannot become a new file, without touching anything.
    ///
    /// - Parameter makesDirectories: Whether missing directories will be made before.
    static func check(
        path: String, replacesExisting: Bool, makesDirectories: Bool = false
    ) throws(ACCAudioRecorderError) {
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
        try checkDirectory(directory(of: path), makesDirectories: makesDirectories, for: what)
    }

    /// Refuses a directory in which no file can be created.
    ///
    /// - Parameter what: What cannot be done then.
    static func checkDirectory(
        _ directory: String, makesDirectories: Bool, for what: String
    ) throws(ACCAudioRecorderError) {
        var status = stat()
        if makesDirectories, stat(directory, &status) != 0, errno == ENOENT {
            return try checkDirectory(Self.directory(of: directory), makesDirectories: true, for: what)
        }
        guard stat(directory, &status) == 0 else {
            throw .outputFailed(
                .init(
                    .cannotCreate, what,
                    cause: "the directory '\(directory)' cannot be used: \(Errno(rawValue: errno))",
                    remedy: "Make the directory first, let it be made, or choose another."))
        }
        guard access(directory, W_OK | X_OK) == 0 else {
            throw .outputFailed(
                .init(
                    .cannotCreate, what,
                    cause: "the directory '\(directory)' cannot be written: \(Errno(rawValue: errno))",
                    remedy: "Choose a directory that you can write."))
        }
        if let room = DiskRoom(path: directory), room.usableByteCount == 0 {
            throw .outputFailed(
                .init(
                    .diskFull, what, cause: "its disk has room for \(room.byteCount) bytes only",
                    remedy: "Make room, or record to another disk."))
        }
    }

    /// Creates the file.
    ///
    /// - Parameter isSynced: Whether it is brought to its disk before it takes its place, and then its directory.
    init(path: String, replacesExisting: Bool, isSynced: Bool = false) throws(ACCAudioRecorderError) {
        self.path = path
        self.isSynced = isSynced
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

    /// Its size in bytes until now.
    var size: Int {
        var status = stat()
        return fstat(descriptor.rawValue, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Closes the file and puts it in its place.
    ///
    /// - Returns: Its size in bytes.
    consuming func keep() throws(ACCAudioRecorderError) -> Int {
        do {
            let size = try Int(descriptor.seek(offset: 0, from: .end))
            if isSynced, let failure = descriptor.bringToDisk() { throw failure }
            try descriptor.close()
            guard writingPath == path || rename(writingPath, path) == 0 else { throw Errno(rawValue: errno) }
            if isSynced, let failure = Self.bringDirectoryToDisk(of: path) { throw failure }
            return size
        } catch {
            throw .outputFailed(
                .init(
                    .cannotWrite, "cannot complete '\(path)'", cause: "\(error)",
                    remedy: "What was recorded is in '\(writingPath)'."))
        }
    }

    /// Closes the file, and leaves it where it is.
    ///
    /// - Returns: Its path.
    consuming func leave() -> String {
        // What it is left for has been told.
        try? descriptor.close()
        return writingPath
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

    /// What takes left behind that were to replace this file and were killed: files under hidden names beside it.
    static func leftBehind(for path: String) -> [String] {
        let directory = directory(of: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().map { "\(directory)/\($0)" }.filter { part in
            guard let replaced = self.path(ofPart: part),
                let process = Int32(part.split(separator: ".").dropLast().last ?? "")
            else { return false }
            return FilePath(replaced).lastComponent == FilePath(path).lastComponent
                && kill(process, 0) != 0 && errno == ESRCH
        }
    }

    /// What a file was to replace that a take left behind under a hidden name; nil for other files.
    static func path(ofPart path: String) -> String? {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let parts = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard name.first == ".", parts.count > 2, parts.last == "part", Int(parts[parts.count - 2]) != nil else {
            return nil
        }
        return path.dropLast(name.count) + parts.dropLast(2).joined(separator: ".")
    }

    /// Lets a file be found after a power cut that was created there, or renamed.
    static func bringDirectoryToDisk(of path: String) -> Errno? {
        do {
            let directory = try FileDescriptor.open(
                FilePath(directory(of: path)), .readOnly, options: [.directory, .closeOnExec])
            return try directory.closeAfter { directory.bringToDisk(isDirectory: true) }
        } catch {
            return error as? Errno ?? .ioError
        }
    }

    /// Makes the directories of a path that are missing.
    static func makeDirectories(for path: String) throws(ACCAudioRecorderError) {
        let directory = directory(of: path)
        var status = stat()
        guard stat(directory, &status) != 0, errno == ENOENT else { return }
        try makeDirectories(for: directory)
        // Another program may have made it meanwhile.
        guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
            throw .outputFailed(
                .init(
                    .cannotCreate, "cannot make the directory '\(directory)'", cause: "\(Errno(rawValue: errno))",
                    remedy: "Choose a directory that you can write."))
        }
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
