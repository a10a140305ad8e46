extension Manifest {
    /// Reads CSV: the first record names the columns, each other one is a row. An empty field leaves its option unset.
    static func rows(
        ofCSV text: String, keys: ManifestKeys, _ mistakes: inout FileMistakes
    ) -> [ManifestRow] {
        var rows: [ManifestRow] = []
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
                    .map { ManifestEntry(key: $0, value: .text($1), line: record.line) }
                rows.append(ManifestRow(line: record.line, entries: entries))
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
