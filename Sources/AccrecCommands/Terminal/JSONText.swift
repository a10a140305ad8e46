import FoundationEssentials

/// JSON for programs.
enum JSONText {
    /// The value on one line, its keys in alphabetical order and in snake case.
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    /// A value of a line that was made so.
    static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: line)
    }
}
