extension Manifest {
    /// Reads CSV records as in RFC 4180: quoted fields may contain commas, line breaks and doubled quotes. Lines may
    /// also end with a bare line feed.
    struct CSVReader {
        struct Record {
            /// The line where it begins, counted from 1.
            let line: Int
            let fields: [String]
        }

        /// Why a record cannot be read.
        struct Failure: Error {
            let line: Int
            let message: String
        }

        private var rest: Substring.UnicodeScalarView
        private var line = 1

        init(_ text: String) {
            rest = text.unicodeScalars[...]
        }

        /// The next record, or nil at the end. Skips empty lines.
        mutating func next() throws(Failure) -> Record? {
            while consumeLineEnding() {}
            guard !rest.isEmpty else { return nil }
            let first = line
            var fields = [try field()]
            while rest.first == "," {
                rest.removeFirst()
                fields.append(try field())
            }
            guard consumeLineEnding() || rest.isEmpty else {
                throw Failure(line: line, message: "expected a comma or the end of the line after a quoted field")
            }
            return Record(line: first, fields: fields)
        }

        /// Consumes a line ending, if there is one.
        private mutating func consumeLineEnding() -> Bool {
            if rest.starts(with: "\r\n".unicodeScalars) { rest.removeFirst() }
            guard rest.first == "\n" else { return false }
            rest.removeFirst()
            line += 1
            return true
        }

        private mutating func field() throws(Failure) -> String {
            if rest.first == "\"" { return try fieldInQuotes() }
            let field = rest.prefix { $0 != "," && $0 != "\n" }
            guard !field.contains("\"") else {
                throw Failure(
                    line: line, message: "a field that contains a quote must be quoted, and the quote doubled")
            }
            rest = rest.dropFirst(field.count)
            // A carriage return before a line feed belongs to the line ending.
            guard field.last == "\r", rest.first == "\n" else { return String(field) }
            return String(field.dropLast())
        }

        private mutating func fieldInQuotes() throws(Failure) -> String {
            let first = line
            rest.removeFirst()
            var field = String.UnicodeScalarView()
            while let scalar = rest.popFirst() {
                if scalar == "\"" {
                    guard rest.first == "\"" else { return String(field) }
                    rest.removeFirst()
                } else if scalar == "\n" {
                    line += 1
                }
                field.append(scalar)
            }
            throw Failure(line: first, message: "missing closing quote")
        }
    }
}

extension Manifest {
    /// Reads CSV: the first record names the columns, each other one is a row. An empty field leaves its option unset.
    static func rows(
        ofCSV text: String, keys: Keys, _ mistakes: inout FileMistakes
    ) -> [Row] {
        var rows: [Row] = []
        var reader = CSVReader(text)
        do throws(CSVReader.Failure) {
            guard let header = try reader.next() else { return [] }
            let columns = header.fields.map(\.trimmingWhitespace)
            if let separator = columns.first?.first(where: { ";\t|".contains($0) }), columns.count == 1 {
                let name = separator == "\t" ? "tabs" : "'\(separator)'"
                mistakes.add("fields are separated by \(name). Separate them by commas.", line: header.line)
                return []
            }
            // Report a mistake in a column once, not for each row.
            var known: Set<String> = []
            for column in columns where !mistakes.isFull {
                let isDouble = !known.insert(column).inserted
                let mistake = isDouble ? "the column '\(column)' appears twice" : keys.mistake(in: column)
                if let mistake { mistakes.add(mistake, line: header.line) }
            }
            if !columns.contains("output") { mistakes.add("no column 'output'", line: header.line) }
            guard mistakes.isEmpty else { return [] }
            while let record = try reader.next(), !mistakes.isFull {
                guard record.fields.count == columns.count else {
                    mistakes.add(
                        "\(record.fields.count) field\(record.fields.count == 1 ? "" : "s") for \(columns.count) columns",
                        line: record.line)
                    continue
                }
                let entries = zip(columns, record.fields).filter { !$1.isEmpty }
                    .map { Entry(key: $0, value: .text($1), line: record.line) }
                rows.append(Row(line: record.line, entries: entries))
            }
        } catch {
            mistakes.add(error.message, line: error.line)
        }
        return rows
    }
}

extension StringProtocol {
    /// The text without leading and trailing whitespace.
    var trimmingWhitespace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
