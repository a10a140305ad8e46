import Glibc

/// The path of a file as what is before its extension and the rest, for names beside it.
struct PathStem {
    let stem: String
    /// With its dot; empty where there is none.
    let pathExtension: String

    init(_ path: String) {
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[name...].dropFirst().lastIndex(of: ".") ?? path.endIndex
        stem = String(path[..<dot])
        pathExtension = String(path[dot...])
    }

    /// The path with a number; the first has none.
    func path(_ number: Int) -> String {
        number > 1 ? "\(stem)-\(FilePattern.padded(number, to: 3))\(pathExtension)" : stem + pathExtension
    }

    /// The first number from this one on with which the path is of nothing that exists.
    func firstFree(from number: Int) -> Int {
        var number = number
        while Self.isTaken(path(number)) { number += 1 }
        return number
    }

    /// Whether something is at this path.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
