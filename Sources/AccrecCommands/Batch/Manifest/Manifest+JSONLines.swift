extension Manifest {
    /// Reads JSON Lines: one object per row. Skips empty lines.
    static func rows(ofJSONLines text: String, _ mistakes: inout FileMistakes) -> [ManifestRow] {
        var rows: [ManifestRow] = []
        // JSON strings may contain other line separators, so split at line feeds only.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, text) in lines.map(String.init).enumerated() where !mistakes.isFull {
            guard !text.allSatisfy(\.isWhitespace) else { continue }
            let line = index + 1
            do throws(JSONReader.Failure) {
                let entries = try JSONReader.object(in: text).compactMap { key, value in
                    value.map { ManifestEntry(key: key, value: $0, line: line) }
                }
                rows.append(ManifestRow(line: line, entries: entries.sorted { $0.key < $1.key }))
            } catch {
                mistakes.add("not a JSON object: \(error.message) (column \(error.column))", line: line)
            }
        }
        return rows
    }
}
