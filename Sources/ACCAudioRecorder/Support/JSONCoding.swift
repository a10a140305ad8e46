import FoundationEssentials

/// Cases are written to JSON in snake case: `deviceLost` as `device_lost`.
extension RawRepresentable<String> {
    /// The case's name in JSON.
    var nameInJSON: String {
        rawValue.map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
    }
}

extension KeyedEncodingContainer {
    /// Encodes a case by its name.
    mutating func encode(nameOf value: some RawRepresentable<String>, forKey key: Key) throws {
        try encode(value.nameInJSON, forKey: key)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a case by its name.
    func decode<Value: RawRepresentable<String> & CaseIterable>(
        nameOf type: Value.Type, forKey key: Key
    ) throws -> Value {
        try decode(forKey: key, from: Value.allCases, name: \.nameInJSON)
    }

    /// Decodes the value that has the name in JSON.
    func decode<Value>(forKey key: Key, from values: some Sequence<Value>, name: (Value) -> String) throws -> Value {
        let text = try decode(String.self, forKey: key)
        guard let value = values.first(where: { name($0) == text }) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "unknown \(Value.self) '\(text)'")
        }
        return value
    }
}

// Durations are written to JSON in seconds. Conformances that the compiler writes call these, too.

extension KeyedEncodingContainer {
    mutating func encode(_ duration: Duration, forKey key: Key) throws { try encode(duration.seconds, forKey: key) }

    mutating func encodeIfPresent(_ duration: Duration?, forKey key: Key) throws {
        try encodeIfPresent(duration?.seconds, forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decode(_ type: Duration.Type, forKey key: Key) throws -> Duration {
        .limited(seconds: try decode(Double.self, forKey: key))
    }

    func decodeIfPresent(_ type: Duration.Type, forKey key: Key) throws -> Duration? {
        try decodeIfPresent(Double.self, forKey: key).map { .limited(seconds: $0) }
    }
}

// Settings that were stored before a property existed keep its default.

extension KeyedDecodingContainer {
    /// Replaces a value by the encoded one, if there is one.
    func decode<Value: Decodable>(_ key: Key, into value: inout Value) throws {
        if let decoded = try decodeIfPresent(Value.self, forKey: key) { value = decoded }
    }

    func decode(_ key: Key, into value: inout Duration) throws {
        if let decoded = try decodeIfPresent(Duration.self, forKey: key) { value = decoded }
    }

    func decode(_ key: Key, into value: inout Duration?) throws {
        value = try contains(key) ? decodeIfPresent(Duration.self, forKey: key) : value
    }
}

/// Dates are written to JSON in UTC, to the millisecond (ISO 8601).
extension Date {
    private static let styleInJSON = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The date in JSON: `2026-11-23T18:42:34.512Z`.
    package var textInJSON: String { formatted(Self.styleInJSON) }

    /// - Throws: If it is no date.
    init(textInJSON text: String) throws {
        self = try Self.styleInJSON.parse(text)
    }
}
