extension Manifest {
    /// Reads CSV: the first record names the columns, and each other one is a row. An empty field says nothing.
    init(csv text: String, keys: ManifestKeys, mistakes: inout ManifestMistakes) {
        self.init()
        var reader = CSVReader(text)
        do throws(CSVReader.Failure) {
            guard let header = try reader.next() else { return }
            let columns = header.fields.map { $0.trimmingWhitespace }
            // What is wrong with a column is told here, and not of each row.
            for (index, column) in columns.enumerated() {
                let isDouble = columns[..<index].contains(column)
                let mistake = isDouble ? "there are two columns '\(column)'" : keys.mistake(in: column)
                if let mistake { mistakes.add(mistake, line: header.line) }
            }
            if !columns.contains("output") { mistakes.add("the column 'output' is missing", line: header.line) }
            guard mistakes.isEmpty else { return }
            while let record = try reader.next(), !mistakes.isFull {
                guard record.fields.count == columns.count else {
                    mistakes.add(
                        "it has \(record.fields.count) fields, and \(columns.count) columns are named",
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
    }
}

extension String {
    fileprivate var trimmingWhitespace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
