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
