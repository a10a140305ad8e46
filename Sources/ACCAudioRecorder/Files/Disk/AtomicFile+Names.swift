import FoundationEssentials
import Glibc
import SystemPackage

/// Names beside a file: the hidden one under which it is written, and the one for an incomplete file.
extension AtomicFile {
    static let partSuffix = ".part"

    /// The path under which a file is written until it is complete.
    static func writingPath(for path: String, replacesExisting: Bool) -> String {
        guard replacesExisting else { return path }
        let target = target(of: path)
        let name = FilePath(target).lastComponent?.string ?? target
        return "\(directory(of: target))/\(partName(for: name))"
    }

    /// The path that is really replaced: the target, if this is a symbolic link.
    static func target(of path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK, let real = realpath(path, nil) else {
            return path
        }
        defer { free(real) }
        return String(cString: real)
    }

    /// The hidden name under which a file with this final name is written.
    static func partName(for name: String) -> String {
        let end = ".\(getpid())\(partSuffix)"
        return ".\(fitting(name, with: end.utf8.count + 1))\(end)"
    }

    /// A name for an incomplete file, which must not replace the file with this name.
    static func partialName(for name: String, _ number: Int) -> String {
        let stem = PathStem(fitting(name, with: "-partial-000".utf8.count))
        return PathStem("\(stem.stem)-partial\(stem.pathExtension)").path(number)
    }

    /// The name, shortened before its extension if needed so that this many bytes can be added within the file system's
    /// limit.
    private static func fitting(_ name: String, with byteCount: Int) -> String {
        var stem = PathStem(name)
        if stem.pathExtension.utf8.count > 16 { stem = PathStem(stem: name, pathExtension: "") }
        var start = stem.stem.unicodeScalars
        while String(start).utf8.count + stem.pathExtension.utf8.count + byteCount > Int(NAME_MAX) {
            start.removeLast()
        }
        return String(start) + stem.pathExtension
    }

    /// Hidden partial files beside this file, left by killed recordings that were to replace it.
    static func leftBehind(for path: String) -> [String] {
        let target = target(of: path)
        let directory = directory(of: target)
        let own = self.path(ofPart: partName(for: FilePath(target).lastComponent?.string ?? target))
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().filter { part in
            guard self.path(ofPart: part) == own, let process = Int32(part.split(separator: ".").dropLast().last ?? "")
            else { return false }
            return kill(process, 0) != 0 && errno == ESRCH
        }.map { "\(directory)/\($0)" }
    }

    /// The path that a hidden partial file was to replace; nil for other files.
    static func path(ofPart path: String) -> String? {
        let name = (FilePath(path).lastComponent?.string ?? path).unicodeScalars
        let parts = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard name.first == ".", parts.count > 2, parts.last.map(String.init) == "part",
            Int(String(parts[parts.count - 2])) != nil
        else { return nil }
        return String(path.unicodeScalars.dropLast(name.count))
            + parts.dropLast(2).map(String.init).joined(separator: ".")
    }

    /// The directory of a path.
    static func directory(of path: String) -> String {
        let directory = FilePath(path).removingLastComponent()
        return directory.isEmpty ? "." : directory.string
    }

    /// Creates the missing directories of a path.
    static func makeDirectories(for path: String) throws(ACCAudioRecorderError) {
        let directory = directory(of: path)
        var status = stat()
        guard directory != path, stat(directory, &status) != 0, errno == ENOENT else { return }
        try makeDirectories(for: directory)
        // Another program may have created it in the meantime.
        guard mkdir(directory, 0o777) == 0 || errno == EEXIST else {
            throw .outputFailed(
                .init(
                    .cannotCreate, "cannot make the directory '\(directory)'", cause: "\(Errno(rawValue: errno))",
                    remedy: "Choose a directory you can write to."))
        }
    }
}
