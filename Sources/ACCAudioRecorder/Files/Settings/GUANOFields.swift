/// What a user states for the `guan` chunk of WAV files (GUANO 1.0, https://github.com/riggsd/guano-spec): the hardware, the
/// place, the species. The recorder adds `GUANO|Version`, `Timestamp`, `Samplerate` and `Length`.
///
/// A field has one of the names that GUANO defines, such as `Loc Position`, or a namespace: `User|Site`.
public struct GUANOFields: Sendable, Hashable {
    /// A field of the chunk.
    public struct Field: Sendable, Hashable {
        /// Its name, with its namespace if it has one.
        public let key: String
        /// One line of text.
        public let value: String
    }

    /// The fields in the order in which they were first set.
    public private(set) var fields: [Field] = []

    /// The largest size of a key in bytes.
    private static let longestKey = 128
    /// The largest size of all fields in bytes.
    private static let largestSize = 16_384

    /// No fields beside those of the recorder.
    public init() {}

    /// Sets a field, instead of an earlier one with this key.
    ///
    /// - Parameters:
    ///   - key: Case matters. Spaces around it do not.
    ///   - value: One line. `\n`, a backslash and a letter, is a line break in a `Note`.
    /// - Throws: `outputFailed` for a key that GUANO does not define and that has no namespace, for one that the recorder
    ///   writes, for a value that is not of the key's kind, for control characters, and for more than 16 KiB in all.
    public mutating func set(_ key: String, to value: String) throws(ACCAudioRecorderError) {
        let (key, value) = (Self.trimmed(key), Self.trimmed(value))
        try Self.check(key)
        try Self.check(value, of: key)
        let field = Field(key: key, value: value)
        if let index = fields.firstIndex(where: { $0.key == key }) {
            fields[index] = field
        } else {
            fields.append(field)
        }
        guard byteCount <= Self.largestSize else {
            throw Self.refusal(key, "all fields are larger than \(Self.largestSize) bytes", "Shorten them.")
        }
    }

    /// The fields, and then the others, which replace those with the same key.
    package func setting(_ others: GUANOFields) -> GUANOFields {
        var result = self
        result.fields.removeAll { field in others.fields.contains { $0.key == field.key } }
        result.fields += others.fields
        return result
    }

    /// The size of the lines in bytes.
    var byteCount: Int { lines.utf8.count }

    /// The lines of the chunk.
    var lines: String { fields.map { "\($0.key): \($0.value)\n" }.joined() }

    private static func trimmed(_ text: String) -> String {
        let rest = text.drop { $0 == " " }
        return String(rest.dropLast(rest.reversed().prefix { $0 == " " }.count))
    }
}

extension GUANOFields {
    /// What a value is.
    private enum Kind {
        case text
        case number(ClosedRange<Double>)
        /// Latitude and longitude in degrees.
        case position
    }

    private static let anyNumber = Kind.number(-.greatestFiniteMagnitude ... .greatestFiniteMagnitude)
    private static let positiveNumber = Kind.number(0 ... .greatestFiniteMagnitude)

    /// Those of the specification that a user may set.
    private static let kinds: [String: Kind] = [
        "Filter HP": positiveNumber, "Filter LP": positiveNumber, "Firmware Version": .text, "Hardware Version": .text,
        "Humidity": .number(0...100), "Loc Accuracy": positiveNumber, "Loc Elevation": anyNumber,
        "Loc Position": .position, "Make": .text, "Model": .text, "Note": .text, "Original Filename": .text,
        "Serial": .text, "Species Auto ID": .text, "Species Manual ID": .text, "Tags": .text,
        "Temperature Ext": anyNumber, "Temperature Int": anyNumber,
    ]

    /// The keys that GUANO defines and a user may set.
    public static let definedKeys: [String] = kinds.keys.sorted()

    /// Those that the recorder writes, and the factor of time expansion, by which it never records.
    private static let ownKeys = ["Timestamp", "Samplerate", "Length", "TE"]

    private static func check(_ key: String) throws(ACCAudioRecorderError) {
        guard !key.isEmpty, key.utf8.count <= longestKey, isPrintable(key), !key.contains(":") else {
            throw refusal(
                key, "a key has 1 to \(longestKey) bytes, none of which is a colon or a control character",
                "Give it as in 'Loc Position=47.4 8.5'.")
        }
        let parts = key.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        guard !ownKeys.contains(key), parts[0] != "GUANO" else {
            throw refusal(key, "the recorder states it by itself", "Leave it out.")
        }
        guard kinds[key] == nil else { return }
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
            let known = definedKeys.first { $0.lowercased() == key.lowercased() }
            throw refusal(
                key, "GUANO defines no such field",
                known.map { "Write it '\($0)'." } ?? "Give it a namespace, as in 'User|\(key)'.")
        }
    }

    private static func check(_ value: String, of key: String) throws(ACCAudioRecorderError) {
        guard !value.isEmpty, isPrintable(value) else {
            throw refusal(key, "a value is one line without control characters", "Give one, or leave the field out.")
        }
        switch kinds[key] ?? .text {
        case .text: return
        case .number(let range):
            guard let number = number(value[...]), range.contains(number) else {
                throw refusal(key, "'\(value)' is no such number", "Give one such as 21.5, with a point.")
            }
        case .position:
            let numbers = value.split(separator: " ").map(number)
            guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
                abs(latitude) <= 90, abs(longitude) <= 180
            else {
                throw refusal(
                    key, "'\(value)' is no latitude and longitude in degrees", "Give both, as in '47.3769 8.5417'.")
            }
        }
    }

    /// A decimal number, as every reader takes it.
    private static func number(_ text: Substring) -> Double? {
        text.utf8.allSatisfy { "0123456789+-.".utf8.contains($0) } ? Double(text) : nil
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
            default: true
            }
        }
    }

    private static func refusal(_ key: String, _ cause: String, _ remedy: String) -> ACCAudioRecorderError {
        .outputFailed(.init(.invalidFormat, "cannot write the GUANO field '\(key)'", cause: cause, remedy: remedy))
    }
}
