import ACCAudioRecorder
import TOML

extension Manifest {
    /// Reads TOML: one `[[take]]` table per row, and an optional `[defaults]` table.
    static func content(
        ofTOML text: String, _ mistakes: inout FileMistakes
    ) -> (defaults: [Entry], rows: [Row]) {
        var (defaults, rows): ([Entry], [Row]) = ([], [])
        do {
            for entry in try TOMLParser.table(of: text).entries where !mistakes.isFull {
                switch (entry.key, entry.value) {
                case ("defaults", .table(let table)): defaults = entries(of: table, &mistakes)
                case ("take", .array(let values)): rows += self.rows(of: values, line: entry.line, &mistakes)
                default: mistakes.add(mistake(in: entry), line: entry.line)
                }
            }
        } catch {
            mistakes.add(error.message, line: error.line)
        }
        return (defaults, rows)
    }

    /// The message for a top-level entry that is neither a list of takes nor a table of defaults.
    private static func mistake(in entry: TOMLTable.Entry) -> String {
        switch entry.key {
        case "defaults": return "'defaults' must be a table: [defaults]"
        case "take": return noTakes
        default:
            let hint = NearestWord.to(entry.key, among: ["take", "defaults"]).map { "Did you mean '\($0)'?" }
            return "unknown key '\(entry.key)'. \(hint ?? "It has [[take]] for each take, and [defaults].")"
        }
    }

    private static let noTakes = "takes must be an array of tables: [[take]]"

    /// The rows up to the first value that is not a table.
    private static func rows(
        of values: [TOMLTable.Value], line: Int, _ mistakes: inout FileMistakes
    ) -> [Row] {
        var rows: [Row] = []
        for value in values {
            guard case .table(let table) = value else {
                mistakes.add(noTakes, line: line)
                break
            }
            rows.append(Row(line: table.line, entries: entries(of: table, &mistakes)))
        }
        return rows
    }

    private static func entries(of table: TOMLTable, _ mistakes: inout FileMistakes) -> [Entry] {
        table.entries.compactMap { entry in
            guard let value = Value(entry.value) else {
                mistakes.add("the value of '\(entry.key)' has the wrong type", line: entry.line)
                return nil
            }
            return Entry(key: entry.key, value: value, line: entry.line)
        }
    }
}

extension Manifest.Value {
    /// Nil for a value that no key accepts.
    init?(_ value: TOMLTable.Value) {
        switch value {
        case .text(let text), .time(let text): self = .text(text)
        case .integer(let number): self = .number(String(number))
        case .float(let number): self = .number("\(number)")
        case .flag(let flag): self = .flag(flag)
        case .date: return nil
        case .array(let list):
            let values = list.compactMap(Manifest.Value.init)
            guard values.count == list.count else { return nil }
            self = .list(values)
        case .table(let table):
            var values: [String: Manifest.Value] = [:]
            for entry in table.entries {
                guard let value = Manifest.Value(entry.value) else { return nil }
                values[entry.key] = value
            }
            self = .table(values)
        }
    }
}
