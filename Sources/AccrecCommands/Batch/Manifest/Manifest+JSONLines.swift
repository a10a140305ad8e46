extension Manifest {
    /// Reads JSON Lines: one object per row. Skips empty lines.
    static func rows(ofJSONLines text: String, _ mistakes: inout FileMistakes) -> [Row] {
        var rows: [Row] = []
        // JSON strings may contain other line separators, so split at line feeds only.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, text) in lines.lazy.map(String.init).enumerated() where !mistakes.isFull {
            guard !text.allSatisfy(\.isWhitespace) else { continue }
            let line = index + 1
            do throws(JSONReader.Failure) {
                let entries = try JSONReader.object(in: text).compactMap { key, value in
                    value.map { Entry(key: key, value: $0, line: line) }
                }
                rows.append(Row(line: line, entries: entries.sorted { $0.key < $1.key }))
            } catch {
                mistakes.add("not a JSON object: \(error.message) (column \(error.column))", line: line)
            }
        }
        return rows
    }
}

extension Manifest {
    /// Reads an object of JSON (RFC 8259) from one line. Takes a time that is linear in its length.
    fileprivate struct JSONReader {
        /// Why a line cannot be read.
        struct Failure: Error {
            /// In characters, counted from 1.
            let column: Int
            let message: String
        }

        /// How deep a take's values may lie: a list or a table within the take. Each level is a call.
        private static let greatestDepth = 3

        private let bytes: [UInt8]
        private var index = 0

        private init(_ line: String) {
            bytes = Array(line.utf8)
        }

        /// The members of the object in a line; nil is null.
        static func object(in line: String) throws(Failure) -> [String: Value?] {
            var reader = JSONReader(line)
            reader.skipSpaces()
            guard reader.next == UInt8(ascii: "{") else {
                throw reader.failure("a take looks like {\"output\": \"take.wav\", \"duration\": 5}")
            }
            let members = try reader.members(depth: 1)
            reader.skipSpaces()
            guard reader.next == nil else { throw reader.failure("something follows the object") }
            return members
        }

        private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

        private func failure(_ message: String, at place: Int? = nil) -> Failure {
            // Bytes that continue a character do not count.
            let column = bytes.prefix(place ?? index).count { $0 & 0xC0 != 0x80 } + 1
            return Failure(column: column, message: message)
        }

        private mutating func skipSpaces() {
            while let byte = next, [0x20, 0x09, 0x0D, 0x0A].contains(byte) { index += 1 }
        }

        private mutating func consume(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        private mutating func consume(while isPart: (UInt8) -> Bool) -> Substring {
            let part = bytes[index...].prefix(while: isPart)
            index += part.count
            return Substring(decoding: part, as: UTF8.self)
        }
    }
}

// MARK: - Objects and lists

extension Manifest.JSONReader {
    private mutating func members(depth: Int) throws(Failure) -> [String: Manifest.Value?] {
        var members: [String: Manifest.Value?] = [:]
        try elements(to: "}", depth: depth) { (reader) throws(Failure) in
            let place = reader.index
            guard reader.next == UInt8(ascii: "\"") else { throw reader.failure("expected a key in quotes") }
            let key = try reader.text()
            reader.skipSpaces()
            guard reader.consume(":") else { throw reader.failure("expected ':' after the key") }
            reader.skipSpaces()
            let value = try reader.value(depth: depth)
            guard members.updateValue(value, forKey: key) == nil else {
                throw reader.failure("a key appears twice", at: place)
            }
        }
        return members
    }

    /// Consumes brackets around elements separated by commas.
    private mutating func elements(
        to close: Unicode.Scalar, depth: Int, _ element: (inout Manifest.JSONReader) throws(Failure) -> Void
    ) throws(Failure) {
        guard depth <= Self.greatestDepth else {
            throw failure("a take has texts, numbers, lists and tags, and nothing deeper")
        }
        index += 1
        skipSpaces()
        if consume(close) { return }
        repeat {
            skipSpaces()
            try element(&self)
            skipSpaces()
        } while consume(",")
        guard consume(close) else { throw failure("expected ',' or '\(close)'") }
    }
}

// MARK: - Values

extension Manifest.JSONReader {
    /// Consumes a value; nil is null.
    private mutating func value(depth: Int) throws(Failure) -> Manifest.Value? {
        switch next {
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "{"):
            let place = index
            let values = try members(depth: depth + 1)
            guard !values.values.contains(nil) else { throw failure("null has no meaning in it", at: place) }
            return .table(values.compactMapValues { $0 })
        case UInt8(ascii: "["):
            var values: [Manifest.Value] = []
            try elements(to: "]", depth: depth + 1) { (reader) throws(Failure) in
                let place = reader.index
                guard let value = try reader.value(depth: depth + 1) else {
                    throw reader.failure("null has no meaning in a list", at: place)
                }
                values.append(value)
            }
            return .list(values)
        default: return try literal()
        }
    }

    /// Consumes a number, `true`, `false` or `null`.
    private mutating func literal() throws(Failure) -> Manifest.Value? {
        let place = index
        let word = consume { byte in
            let character = Unicode.Scalar(byte)
            return character.properties.isAlphabetic || ("0"..."9").contains(character)
                || "+-.".unicodeScalars.contains(character)
        }
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return nil
        case "": throw failure("expected a value", at: place)
        default: break
        }
        guard Self.isNumber(word) else {
            throw failure("'\(word.prefix(40))' is not a value; quote text", at: place)
        }
        if let number = Int(word) { return .number(String(number)) }
        guard let number = Double(word), number.isFinite else { throw failure("the number is out of range", at: place) }
        return .number("\(number)")
    }

    /// Whether a word is a number of JSON, which has no zero before other digits, and digits on both sides of its
    /// point.
    private static func isNumber(_ word: Substring) -> Bool {
        var rest = word.utf8
        func consume(_ characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        func consumeDigits() -> Int {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        _ = consume("-")
        let beginsWithZero = rest.first == UInt8(ascii: "0")
        let count = consumeDigits()
        guard count == 1 || count > 1 && !beginsWithZero else { return false }
        if consume("."), consumeDigits() == 0 { return false }
        if consume("eE") {
            _ = consume("+-")
            guard consumeDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }

    /// Consumes a text in quotes.
    private mutating func text() throws(Failure) -> String {
        let start = index
        index += 1
        var text: [UInt8] = []
        while let byte = next {
            if consume("\"") { return String(decoding: text, as: UTF8.self) }
            guard byte >= 0x20 else { throw failure("a control character in text must be escaped: \\t, \\u0009") }
            if byte == UInt8(ascii: "\\") {
                text += Array(String(Character(try escape())).utf8)
            } else {
                text.append(byte)
                index += 1
            }
        }
        throw failure("missing closing quote", at: start)
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    /// Consumes a backslash and what follows it.
    private mutating func escape() throws(Failure) -> Unicode.Scalar {
        let place = index
        index += 1
        if let letter = next, let scalar = Self.escapes[letter] {
            index += 1
            return scalar
        }
        guard let first = unit() else {
            throw failure("unknown escape. Write a backslash as \\\\.", at: place)
        }
        if let scalar = Unicode.Scalar(first) { return scalar }
        // The other half of a character beyond the 16 bits of one escape.
        guard UTF16.isLeadSurrogate(first), consume("\\"), let second = unit(), UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + UInt32(first & 0x3FF) << 10 + UInt32(second & 0x3FF))
        else { throw failure("half a surrogate pair", at: place) }
        return scalar
    }

    /// Consumes `u` and four hexadecimal digits; nil if they are not there.
    private mutating func unit() -> UInt16? {
        let digits = bytes[index...].dropFirst().prefix(4)
        guard next == UInt8(ascii: "u"), digits.count == 4,
            digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
        else { return nil }
        index += 5
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
