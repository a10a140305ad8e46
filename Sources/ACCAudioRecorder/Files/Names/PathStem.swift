import Glibc

/// The path of a file, split before its extension, to derive names beside it.
package struct PathStem {
    let stem: String
    /// The extension with its dot; empty if there is none.
    let pathExtension: String

    init(stem: String, pathExtension: String) {
        (self.stem, self.pathExtension) = (stem, pathExtension)
    }

    package init(_ path: String) {
        // Works on Unicode scalars, because a slash and a combining mark after it form one character.
        let scalars = path.unicodeScalars
        let name = scalars.lastIndex(of: "/").map { scalars.index(after: $0) } ?? scalars.startIndex
        let dot = scalars[name...].dropFirst().lastIndex(of: ".") ?? scalars.endIndex
        stem = String(scalars[..<dot])
        pathExtension = String(scalars[dot...])
    }

    /// The path with more text before the extension.
    package func path(suffix: String) -> String { stem + suffix + pathExtension }

    /// The path with a number; without one for number 1.
    package func path(_ number: Int) -> String {
        number > 1 ? "\(stem)-\(FilePattern.padded(number, to: 3))\(pathExtension)" : stem + pathExtension
    }

    /// The first number, starting from this one, whose path does not exist.
    package func firstFree(from number: Int) -> Int {
        var number = number
        while Self.isTaken(path(number)) { number += 1 }
        return number
    }

    /// Whether something exists at this path.
    package static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
