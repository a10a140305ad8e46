import ACCAudioRecorder
import FoundationEssentials

/// Encodes and decodes JSON for other programs.
enum JSONText {
    /// The value on one line, with sorted keys in snake case.
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.userInfo[JSONWording.key] = wording
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    }

    private static let wording = JSONWording(error: { ErrorText.line($0) }, warning: { ErrorText.line($0) })

    /// The text with unprintable characters escaped. JSON requires that for the first 32 only, but a line may be shown
    /// on a terminal. All of these characters are inside strings.
    private static func escaped(_ text: String) -> String {
        guard !PrintableText.isPrintable(text) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            if PrintableText.isPrintable(scalar) {
                escaped.unicodeScalars.append(scalar)
            } else {
                for unit in UTF16.encode(scalar)! {
                    let digits = String(unit, radix: 16)
                    escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return escaped
    }

    /// Decodes a value from a line written by `line`.
    static func decode<Value: Decodable>(_ type: Value.Type, from line: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: line)
    }
}
