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
}
