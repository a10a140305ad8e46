import FoundationEssentials

extension Manifest {
    /// Reads lines of JSON: an object for each row. Empty lines are passed over.
    init(jsonLines text: String, mistakes: inout ManifestMistakes) {
        self.init()
        // Other ends of lines may stand within a text.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, text) in lines.map(String.init).enumerated() where !mistakes.isFull {
            guard !text.allSatisfy(\.isWhitespace) else { continue }
            let line = index + 1
            do {
                let values = try JSONDecoder().decode([String: ManifestValue?].self, from: Data(text.utf8))
                let entries = values.compactMap { key, value in
                    value.map { ManifestEntry(key: key, value: $0, line: line) }
                }
                rows.append(ManifestRow(line: line, entries: entries.sorted { $0.key < $1.key }))
            } catch {
                mistakes.add("it is no object of JSON: \(Self.cause(of: error))", line: line)
            }
        }
    }

    private static func cause(of error: any Error) -> String {
        switch error as? DecodingError {
        case .typeMismatch?: "a take is like {\"output\": \"take.wav\", \"duration\": 5}"
        case .dataCorrupted(let context)?: context.debugDescription
        default: "\(error)"
        }
    }
}

extension ManifestValue: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(String(number))
        } else if let number = try? container.decode(Double.self) {
            self = .number("\(number)")
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([ManifestValue].self) {
            self = .list(list)
        } else if let table = try? container.decode([String: ManifestValue].self) {
            self = .table(table)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a value is null or beyond all numbers")
        }
    }
}
