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
            let shape = JSONShape(text)
            guard shape.depth <= greatestDepth else {
                mistakes.add(
                    "not a JSON object of texts, numbers, lists and tags: it is \(shape.depth) deep", line: line)
                continue
            }
            do {
                let values = try JSONDecoder().decode([String: ManifestValue?].self, from: Data(text.utf8))
                guard shape.keyCount == values.values.reduce(0, { $0 + 1 + ($1?.keyCount ?? 0) }) else {
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

    /// How deep a take's values may lie: a list or a table within the take. The decoder takes a time that grows with the
    /// square of the depth.
    private static let greatestDepth = 3

    private static func cause(of error: any Error) -> String {
        switch error as? DecodingError {
        case .typeMismatch?: "a take looks like {\"output\": \"take.wav\", \"duration\": 5}"
        case .dataCorrupted(let context)?: context.debugDescription
        default: "\(error)"
        }
    }
}

/// What a line of JSON has outside of its strings.
private struct JSONShape {
    /// The number of keys. Used to detect duplicate keys, which the decoder silently drops.
    private(set) var keyCount = 0
    /// How many objects and lists lie within one another.
    private(set) var depth = 0

    init(_ text: String) {
        var (isInText, isEscaped) = (false, false)
        var current = 0
        for byte in text.utf8 {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isInText
            case UInt8(ascii: "\""): isInText.toggle()
            case _ where isInText: break
            case UInt8(ascii: ":"): keyCount += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                current += 1
                depth = max(depth, current)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): current -= 1
            default: break
            }
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
        // Texts first, because they are the most frequent, and each attempt that fails takes microseconds.
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int.self) {
            self = .number(String(number))
        } else if let number = try? container.decode(Double.self) {
            self = .number("\(number)")
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
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
