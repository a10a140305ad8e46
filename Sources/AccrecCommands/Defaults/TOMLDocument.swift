import ArgumentParser
import SystemPackage
import TOMLKit

/// A TOML file, and the line of each of its keys.
struct TOMLDocument {
    let path: String
    let table: TOMLTable
    private let lines: [[String]: Int]

    /// Reads a file.
    ///
    /// - Throws: `ValidationError` where it cannot be read or is no TOML.
    init(path: String) throws {
        try self.init(text: Self.text(ofFile: path), path: path)
    }

    /// - Parameter firstLine: Which line of the file the text begins with, where it is a part of one.
    init(text: String, path: String, firstLine: Int = 1) throws {
        self.path = path
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ValidationError(
                "\(FilePlace(path: path, line: firstLine - 1 + error.source.begin.line)): \(error.description)")
        }
        lines = Self.lines(of: text).mapValues { $0 + firstLine - 1 }
    }

    /// Where a key of the table stands; in an array, the number of an element is its key.
    func place(of key: [String]) -> FilePlace { FilePlace(path: path, line: lines[key] ?? 1) }

    private static func text(ofFile path: String) throws -> String {
        do {
            guard let text = String(validating: try bytes(ofFile: path), as: UTF8.self) else {
                throw ValidationError("cannot read '\(path)': it is no text in UTF-8")
            }
            return text
        } catch let error as Errno {
            throw ValidationError("cannot read '\(path)': \(error)")
        }
    }

    private static func bytes(ofFile path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            while true {
                let more = try [UInt8](unsafeUninitializedCapacity: 65_536) {
                    $1 = try file.read(into: UnsafeMutableRawBufferPointer($0))
                }
                if more.isEmpty { return bytes }
                bytes += more
            }
        }
    }

    /// The parser keeps no places. But a key is in the first line with which the text so far has that key, and where its
    /// value goes over several lines, so that the text in between is no TOML, in the first one of these.
    private static func lines(of text: String) -> [[String]: Int] {
        var lines: [[String]: Int] = [:]
        var beginning = String.UnicodeScalarView()
        var first = 1
        for (index, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            beginning += line
            beginning.append("\n")
            guard let table = try? TOMLTable(string: String(beginning)) else { continue }
            for key in keys(of: table) where lines[key] == nil { lines[key] = first }
            first = index + 2
        }
        return lines
    }

    private static func keys(of table: TOMLTable) -> [[String]] {
        table.flatMap { keys(of: $1, at: $0) }
    }

    private static func keys(of value: any TOMLValueConvertible, at key: String) -> [[String]] {
        let elements = value.array?.enumerated().filter { $1.table != nil } ?? []
        let inner = value.table.map(keys) ?? elements.flatMap { keys(of: $1, at: String($0)) }
        return [[key]] + inner.map { [key] + $0 }
    }
}
