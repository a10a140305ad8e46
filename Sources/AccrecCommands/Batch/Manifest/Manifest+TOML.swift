import ArgumentParser
import TOMLKit

extension Manifest {
    /// Reads TOML: a table `[[take]]` for each row, and perhaps one `[defaults]`.
    init(toml text: String, mistakes: inout ManifestMistakes) {
        self.init()
        do {
            // As a whole first: what is no TOML is told with its line.
            _ = try TOMLTable(string: text)
            for block in Self.blocks(of: text) where !mistakes.isFull {
                take(try TOMLDocument(text: block.text, path: mistakes.path, firstLine: block.line), &mistakes)
            }
        } catch let error as TOMLParseError {
            mistakes.add(error.description, line: error.source.begin.line)
        } catch {
            mistakes.add("\(error)")
        }
    }

    /// The parts of a document that begin with `[[take]]`, and what is ahead of the first. Each is a document as well; a
    /// line that looks like such a beginning within a text of several lines is none, and what ends there is no document.
    private static func blocks(of text: String) -> [(text: String, line: Int)] {
        var blocks: [(text: String, line: Int)] = []
        var beginning = String.UnicodeScalarView()
        var first = 1
        for (index, line) in text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if Substring(line).prefixMatch(of: /\s*\[\[\s*take\s*\]\]/) != nil,
                (try? TOMLTable(string: String(beginning))) != nil
            {
                blocks.append((String(beginning), first))
                beginning = String.UnicodeScalarView()
                first = index + 1
            }
            beginning += line
            beginning.append("\n")
        }
        return blocks + [(String(beginning), first)]
    }

    private mutating func take(_ document: TOMLDocument, _ mistakes: inout ManifestMistakes) {
        for (key, value) in document.table {
            let line = document.place(of: [key]).line
            switch (key, value.table, value.array) {
            case ("defaults", let table?, _):
                defaults = Self.entries(of: table, at: [key], in: document, &mistakes)
            case ("take", _, let takes?) where takes.allSatisfy({ $0.table != nil }):
                for (index, take) in takes.enumerated() {
                    guard let table = take.table else { continue }
                    let path = [key, String(index)]
                    let entries = Self.entries(of: table, at: path, in: document, &mistakes)
                    rows.append(ManifestRow(line: document.place(of: path).line, entries: entries))
                }
            case ("defaults", _, _):
                mistakes.add("defaults are a table: [defaults]", line: line)
            case ("take", _, _):
                mistakes.add("takes are tables of an array: [[take]]", line: line)
            default:
                let hint = NearestWord.to(key, among: ["take", "defaults"]).map { "Did you mean '\($0)'?" }
                mistakes.add(
                    "'\(key)' is none of its keys. \(hint ?? "It has [[take]] for each take, and [defaults].")",
                    line: line)
            }
        }
    }

    private static func entries(
        of table: TOMLTable, at path: [String], in document: TOMLDocument, _ mistakes: inout ManifestMistakes
    ) -> [ManifestEntry] {
        var entries: [ManifestEntry] = []
        for (key, value) in table {
            let line = document.place(of: path + [key]).line
            if let value = ManifestValue(value) {
                entries.append(ManifestEntry(key: key, value: value, line: line))
            } else {
                mistakes.add("'\(key)' has a value that no key takes", line: line)
            }
        }
        return entries.sorted { ($0.line, $0.key) < ($1.line, $1.key) }
    }
}

extension ManifestValue {
    /// Nil for what no key takes.
    init?(_ value: any TOMLValueConvertible) {
        if let text = value.string {
            self = .text(text)
        } else if let flag = value.bool {
            self = .flag(flag)
        } else if let number = value.int {
            self = .number(String(number))
        } else if let number = value.double {
            self = .number("\(number)")
        } else if let time = value.dateTime {
            self = .text(time.debugDescription)
        } else if let time = value.time {
            self = .text(time.debugDescription)
        } else if let list = value.array {
            let values = list.compactMap(ManifestValue.init)
            guard values.count == list.count else { return nil }
            self = .list(values)
        } else if let table = value.table {
            var values: [String: ManifestValue] = [:]
            for (key, value) in table {
                guard let value = ManifestValue(value) else { return nil }
                values[key] = value
            }
            self = .table(values)
        } else {
            return nil
        }
    }
}
