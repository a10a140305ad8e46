extension TOMLParser {
    /// Scans the characters of a TOML document and tracks the position.
    struct Scanner {
        /// A position in the document.
        struct Place {
            fileprivate let index: String.Index
            fileprivate let lineStart: String.Index
            /// Counted from 1.
            let line: Int
        }

        private let text: String.UnicodeScalarView
        /// The position of the next character; may be set to an earlier one to backtrack.
        var place: Place

        init(_ text: String) {
            self.text = text.unicodeScalars
            place = Place(index: text.startIndex, lineStart: text.startIndex, line: 1)
        }

        /// The next character, or nil at the end.
        var next: Unicode.Scalar? { place.index < text.endIndex ? text[place.index] : nil }

        var line: Int { place.line }

        /// Whether these characters come next.
        func isNext(_ characters: String) -> Bool { text[place.index...].starts(with: characters.unicodeScalars) }

        /// Consumes the next character; nil at the end.
        mutating func consume() -> Unicode.Scalar? {
            guard let scalar = next else { return nil }
            let after = text.index(after: place.index)
            let isLineFeed = scalar == "\n"
            place = Place(
                index: after, lineStart: isLineFeed ? after : place.lineStart, line: place.line + (isLineFeed ? 1 : 0))
            return scalar
        }

        /// Consumes these characters if they come next.
        mutating func consume(_ characters: String) -> Bool {
            guard isNext(characters) else { return false }
            for _ in characters.unicodeScalars { _ = consume() }
            return true
        }

        /// Consumes characters while they satisfy a condition.
        mutating func consume(while isWanted: (Unicode.Scalar) -> Bool) -> String {
            let start = place.index
            while let scalar = next, isWanted(scalar) { _ = consume() }
            return String(text[start..<place.index])
        }

        /// An error at a position, by default that of the next character.
        func failure(_ cause: String, at start: Place? = nil) -> TOMLParser.Failure {
            let start = start ?? place
            let column = text.distance(from: start.lineStart, to: start.index) + 1
            return TOMLParser.Failure(line: start.line, column: column, cause: cause)
        }
    }
}

// MARK: - Whitespace and comments

extension TOMLParser.Scanner {
    mutating func skipSpaces() {
        while next == " " || next == "\t" { _ = consume() }
    }

    /// Consumes a line ending; false if none is next.
    mutating func consumeEndOfLine() -> Bool { consume("\n") || consume("\r\n") }

    /// Consumes a comment up to the end of its line, if there is one.
    mutating func skipComment() throws(TOMLParser.Failure) {
        guard consume("#") else { return }
        while let scalar = next, scalar != "\n", !isNext("\r\n") {
            guard !scalar.isForbiddenInTOML else { throw failure("a comment must not contain control characters") }
            _ = consume()
        }
    }

    /// Consumes spaces, comments and line endings.
    mutating func skipBlank() throws(TOMLParser.Failure) {
        repeat {
            skipSpaces()
            try skipComment()
        } while consumeEndOfLine()
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character that TOML does not allow, not even in strings.
    var isForbiddenInTOML: Bool { self < " " && self != "\t" || self == "\u{7F}" }
}

/// Strings: `"…"` has escape sequences and `'…'` has none; with three quotes they may span several lines.
extension TOMLParser.Scanner {
    /// Consumes a string, or returns nil if no quote is next.
    ///
    /// - Parameter allowsLines: Whether it may span several lines.
    mutating func consumeText(allowsLines: Bool) throws(TOMLParser.Failure) -> String? {
        let start = place
        guard let quote = next, quote == "\"" || quote == "'" else { return nil }
        let quotes = String(repeating: Character(quote), count: 3)
        guard allowsLines, consume(quotes) else {
            _ = consume()
            return try consumeLine(endingWith: quote, from: start)
        }
        return try consumeLines(endingWith: quotes, from: start)
    }

    private mutating func consumeLine(
        endingWith quote: Unicode.Scalar, from start: Place
    ) throws(TOMLParser.Failure) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = next, scalar != "\n", !isNext("\r\n") {
            if scalar == quote {
                _ = consume()
                return String(text)
            }
            text.append(try consumeCharacter(hasEscapes: quote == "\""))
        }
        throw failure("missing closing quote", at: start)
    }

    private mutating func consumeLines(endingWith quotes: String, from start: Place) throws(TOMLParser.Failure)
        -> String
    {
        let quote = quotes.unicodeScalars.prefix(1)
        var text = String.UnicodeScalarView()
        // A line ending right after the opening quotes is not part of the text.
        _ = consumeEndOfLine()
        while next != nil {
            if consume(quotes) {
                // Up to two further quotes belong to the text.
                for _ in 0..<2 where consume(String(quote)) { text.append(contentsOf: quote) }
                return String(text)
            }
            if consumeEndOfLine() {
                text.append("\n")
            } else if quotes.hasPrefix("\""), try consumeEscapedEndOfLine() {
                continue
            } else {
                text.append(try consumeCharacter(hasEscapes: quotes.hasPrefix("\"")))
            }
        }
        throw failure("missing closing quotes", at: start)
    }

    /// Consumes a backslash at the end of a line, and the whitespace after it.
    private mutating func consumeEscapedEndOfLine() throws(TOMLParser.Failure) -> Bool {
        let start = place
        guard consume("\\") else { return false }
        skipSpaces()
        guard consumeEndOfLine() else {
            place = start
            return false
        }
        repeat { skipSpaces() } while consumeEndOfLine()
        return true
    }

    private mutating func consumeCharacter(hasEscapes: Bool) throws(TOMLParser.Failure) -> Unicode.Scalar {
        if hasEscapes, next == "\\" { return try consumeEscapeSequence() }
        let start = place
        guard let scalar = consume(), !scalar.isForbiddenInTOML else {
            throw failure("control characters must be written as escape sequences", at: start)
        }
        return scalar
    }

    private mutating func consumeEscapeSequence() throws(TOMLParser.Failure) -> Unicode.Scalar {
        let start = place
        _ = consume()
        let letter = consume()
        switch letter {
        case "b": return "\u{8}"
        case "t": return "\t"
        case "n": return "\n"
        case "f": return "\u{C}"
        case "r": return "\r"
        case "e": return "\u{1B}"
        case "\"": return "\""
        case "\\": return "\\"
        case "x": return try consumeCodePoint("x", digits: 2, from: start)
        case "u": return try consumeCodePoint("u", digits: 4, from: start)
        case "U": return try consumeCodePoint("U", digits: 8, from: start)
        default:
            throw failure(
                "unknown escape sequence: double the backslash, or use single quotes", at: start)
        }
    }

    private mutating func consumeCodePoint(
        _ letter: String, digits count: Int, from start: Place
    ) throws(TOMLParser.Failure) -> Unicode.Scalar {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next?.hexadecimalDigit else {
                throw failure("expected \(count) hexadecimal digits after '\\\(letter)'", at: start)
            }
            _ = consume()
            value = value << 4 | digit
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw failure("not a character: U+\(String(value, radix: 16, uppercase: true))", at: start)
        }
        return scalar
    }
}

extension Unicode.Scalar {
    /// Its value as a hexadecimal digit, or nil if it is not one.
    fileprivate var hexadecimalDigit: UInt32? {
        switch self {
        case "0"..."9": value - 0x30
        case "A"..."F": value - 0x41 + 10
        case "a"..."f": value - 0x61 + 10
        default: nil
        }
    }
}
