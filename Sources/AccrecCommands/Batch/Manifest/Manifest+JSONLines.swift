import FoundationEssentials

extension Manifest {
    /// Reads JSON Lines: one object per row. Skips empty lines.
    static func rows(ofJSONLines text: String, _ mistakes: inout FileMistakes) -> [ManifestRow] {
        var rows: [ManifestRow] = []
        // JSON strings may contain other line separators, so split at line feeds only.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, text) in lines.map(String.init).enumerated() where !mistakes.isFull {
            guard !text.allSatisfy(\.isWhitespace) else { continue }
            let line = index + 1
            do {
                let values = try JSONDecoder().decode([String: ManifestValue?].self, from: Data(text.utf8))
                guard Self.keyCount(in: text) == values.values.reduce(0, { $0 + 1 + ($1?.keyCount ?? 0) }) else {
                    mistakes.add("a key appears twice", line: line)
                    continue
                }
                let entries = values.compactMap { key, value in
                    value.map { ManifestEntry(key: key, value: $0, line: line) }
                }
                rows.append(ManifestRow(line: line, entries: entries.sorted { $0.key < $1.key }))
            } catch {
                mistakes.add("not a JSON object: \(Self.cause(of: error))", line: line)
            }
        }
        return rows
    }

    /// The number of keys in a line of JSON, counted as colons outside of strings. Used to detect duplicate keys, which
    /// the decoder silently drops.
    private static func keyCount(in text: String) -> Int {
        var count = 0
        var (isInText, isEscaped) = (false, false)
        for byte in text.utf8 {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInText
            case UInt8(ascii: "\""): isInText.toggle()
            case UInt8(ascii: ":") where !isInText: count += 1
            default: break
            }
        }
        return count
    }

    private static func cause(of error: any Error) -> String {
        switch error as? DecodingError {
        case .typeMismatch?: "a take looks like {\"output\": \"take.wav\", \"duration\": 5}"
        case .dataCorrupted(let context)?: context.debugDescription
        default: "\(error)"
        }
    }
}

extension ManifestValue: Decodable {
    /// The number of keys in this value, including nested ones.
    fileprivate var keyCount: Int {
        switch self {
        case .table(let values): values.values.reduce(values.count) { $0 + $1.keyCount }
        case .list(let values): values.reduce(0) { $0 + $1.keyCount }
        case .text, .number, .flag: 0
        }
    }

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
                in: container,
                debugDescription: "a value is null, out of range, or contains half a surrogate pair")
        }
    }
}
