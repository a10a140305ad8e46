/// Parses a TOML document, version 1.1.
///
/// Suitable for untrusted input: invalid TOML results in an error with its position, nesting is limited to `deepest`,
/// and the running time is linear in the length of the document.
package struct TOMLParser {
    /// The maximum nesting of tables and arrays. The parser recurses for each level.
    static let deepest = 64

    private var scanner: Scanner
    private let root = TOMLTable.Builder(line: 1, origin: .header)
    /// The table of the last header, and its nesting depth.
    private var current: TOMLTable.Builder
    private var depth = 0

    private struct Key {
        let parts: [String]
        let place: Scanner.Place
    }

    private init(_ text: String) {
        scanner = Scanner(text)
        current = root
    }

    /// The root table of a document.
    package static func table(of text: String) throws(Failure) -> TOMLTable {
        var parser = TOMLParser(text)
        return try parser.document()
    }

    private mutating func document() throws(Failure) -> TOMLTable {
        try scanner.skipBlank()
        while scanner.next != nil {
            if scanner.next == "[" { try header() } else { try keyAndValue(in: current, depth: depth) }
            try endOfLine()
            try scanner.skipBlank()
        }
        return root.table
    }

    /// Consumes the rest of a line, which may only be a comment.
    private mutating func endOfLine() throws(Failure) {
        scanner.skipSpaces()
        try scanner.skipComment()
        guard scanner.next == nil || scanner.consumeEndOfLine() else {
            throw scanner.failure("expected the end of the line")
        }
    }
}

// MARK: - Keys and tables

extension TOMLParser {
    /// Consumes `[key]` or `[[key]]`.
    private mutating func header() throws(Failure) {
        let isElement = scanner.consume("[[")
        if !isElement { _ = scanner.consume("[") }
        scanner.skipSpaces()
        let key = try key(depth: 0)
        let end = isElement ? "]]" : "]"
        guard scanner.consume(end) else { throw scanner.failure("expected '\(end)' after the name of the table") }
        let line = key.place.line
        do throws(TOMLTable.Builder.Conflict) {
            var table = root
            for part in key.parts.dropLast() { table = try table.tableForHeader(of: part, line: line) }
            current = try table.addTable(key.parts[key.parts.count - 1], isElement: isElement, line: line)
        } catch {
            throw scanner.failure(error.cause, at: key.place)
        }
        depth = key.parts.count
    }

    private mutating func keyAndValue(in table: TOMLTable.Builder, depth: Int) throws(Failure) {
        let key = try key(depth: depth)
        guard scanner.consume("=") else { throw scanner.failure("expected '=' after the key") }
        scanner.skipSpaces()
        let value = try value(depth: depth + key.parts.count)
        let line = key.place.line
        do throws(TOMLTable.Builder.Conflict) {
            var table = table
            for part in key.parts.dropLast() { table = try table.tableForKey(of: part, line: line) }
            try table.add(value, for: key.parts[key.parts.count - 1], line: line)
        } catch {
            throw scanner.failure(error.cause, at: key.place)
        }
    }

    /// Consumes a dotted key and the spaces after it.
    private mutating func key(depth: Int) throws(Failure) -> Key {
        let place = scanner.place
        var parts: [String] = []
        repeat {
            scanner.skipSpaces()
            try check(depth: depth + parts.count + 1)
            parts.append(try keyPart())
            scanner.skipSpaces()
        } while scanner.consume(".")
        return Key(parts: parts, place: place)
    }

    private mutating func keyPart() throws(Failure) -> String {
        if let text = try scanner.consumeText(allowsLines: false) { return text }
        let part = scanner.consume(while: \.isBareKey)
        guard !part.isEmpty else {
            throw scanner.failure("expected a key: letters, digits, '-' and '_', or a quoted string")
        }
        return part
    }

    private func check(depth: Int) throws(Failure) {
        guard depth <= Self.deepest else {
            throw scanner.failure("tables and arrays are nested more than \(Self.deepest) levels deep")
        }
    }
}

// MARK: - Values

extension TOMLParser {
    private mutating func value(depth: Int) throws(Failure) -> TOMLTable.Value {
        try check(depth: depth)
        if let text = try scanner.consumeText(allowsLines: true) { return .text(text) }
        switch scanner.next {
        case "[": return .array(try array(depth: depth))
        case "{": return .table(try inlineTable(depth: depth))
        default: return try literal()
        }
    }

    private mutating func array(depth: Int) throws(Failure) -> [TOMLTable.Value] {
        var values: [TOMLTable.Value] = []
        try elements(from: "[", to: "]") { (parser) throws(Failure) in
            values.append(try parser.value(depth: depth + 1))
        }
        return values
    }

    private mutating func inlineTable(depth: Int) throws(Failure) -> TOMLTable {
        let table = TOMLTable.Builder(line: scanner.line, origin: .header)
        try elements(from: "{", to: "}") { (parser) throws(Failure) in
            try parser.keyAndValue(in: table, depth: depth)
        }
        return table.table
    }

    /// Consumes brackets around elements separated by commas, with an optional trailing comma.
    private mutating func elements(
        from open: String, to close: String, _ element: (inout TOMLParser) throws(Failure) -> Void
    ) throws(Failure) {
        let start = scanner.place
        _ = scanner.consume(open)
        try scanner.skipBlank()
        while !scanner.consume(close) {
            guard scanner.next != nil else { throw scanner.failure("'\(open)' is not closed", at: start) }
            try element(&self)
            try scanner.skipBlank()
            guard scanner.consume(",") || scanner.next.map(String.init) == close || scanner.next == nil else {
                throw scanner.failure("expected ',' or '\(close)'")
            }
            try scanner.skipBlank()
        }
    }

    /// Consumes a value without quotes or brackets.
    private mutating func literal() throws(Failure) -> TOMLTable.Value {
        let start = scanner.place
        var word = scanner.consume(while: \.isLiteral)
        if Literal.isDate(word), scanner.next == " " {
            let afterDate = scanner.place
            _ = scanner.consume()
            let time = scanner.consume(while: \.isLiteral)
            if time.isEmpty { scanner.place = afterDate } else { word += " " + time }
        }
        guard !word.isEmpty else { throw scanner.failure("expected a value", at: start) }
        guard let value = Literal.value(of: word) else {
            throw scanner.failure("'\(word.prefix(40))' is not a value; quote text", at: start)
        }
        return value
    }
}

extension Unicode.Scalar {
    fileprivate var isBareKey: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }

    fileprivate var isLiteral: Bool { isBareKey || self == "+" || self == "." || self == ":" }
}

extension TOMLParser {
    /// A syntax error in a TOML document.
    package struct Failure: Error, Equatable {
        /// Counted from 1.
        package let line: Int
        /// In characters, counted from 1.
        let column: Int
        /// The reason.
        let cause: String

        /// A message without the line number.
        package var message: String { "column \(column): \(cause)" }
    }
}
