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
        guard number > 1 else { return stem + pathExtension }
        let digits = String(number)
        return stem + "-" + String(repeating: "0", count: max(3 - digits.count, 0)) + digits + pathExtension
    }

    /// The first of these paths, from that number on, where nothing is.
    func firstFree(from number: Int) -> String {
        var number = number
        var status = stat()
        while lstat(path(number), &status) == 0 { number += 1 }
        return path(number)
    }
}
