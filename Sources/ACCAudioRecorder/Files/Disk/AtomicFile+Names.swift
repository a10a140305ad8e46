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
        let (directory, isTaken) = (directory(of: target), PathStem.isTaken)
        var number = 1
        while isTaken("\(directory)/\(partName(for: name, number + 1))") { number += 1 }
        return "\(directory)/\(partName(for: name, number))"
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

    /// A hidden name under which a file with this final name is written; others follow if that is taken.
    static func partName(for name: String, _ number: Int = 1) -> String {
        let end = ".\(getpid())\(number > 1 ? "-\(number)" : "")\(partSuffix)"
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
            self.path(ofPart: part) == own && FileLock.state(of: "\(directory)/\(part)") == .free
        }.map { "\(directory)/\($0)" }
    }

    /// The path that a hidden partial file was to replace; nil for other files.
    static func path(ofPart path: String) -> String? {
        let name = (FilePath(path).lastComponent?.string ?? path).unicodeScalars
        let parts = name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard name.first == ".", parts.count > 2, parts.last.map(String.init) == "part",
            isPartNumber(String(parts[parts.count - 2]))
        else { return nil }
        return String(path.unicodeScalars.dropLast(name.count))
            + parts.dropLast(2).map(String.init).joined(separator: ".")
    }

    /// Whether a hidden name may have this part: a process id, and a number if there was such a name already.
    private static func isPartNumber(_ text: String) -> Bool {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        return numbers.count <= 2 && !numbers.contains(nil)
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
