extension TOMLParser {
    /// Parses values without quotes or brackets: numbers, booleans, dates and times.
    struct Literal {
        private var rest: Substring.UnicodeScalarView

        private init(_ text: String) { rest = text.unicodeScalars[...] }

        /// The value of a word, or nil if it is not valid.
        static func value(of word: String) -> TOMLTable.Value? {
            switch word {
            case "true": return .flag(true)
            case "false": return .flag(false)
            case "inf", "+inf": return .float(.infinity)
            case "-inf": return .float(-.infinity)
            case "nan", "+nan", "-nan": return .float(.nan)
            default: return number(word) ?? integerOfOtherRadix(word) ?? dateOrTime(word)
            }
        }

        /// Whether a word is a date without a time. A time may follow after a space.
        static func isDate(_ word: String) -> Bool {
            var literal = Literal(word)
            return literal.consumeDate() && literal.rest.isEmpty
        }
    }
}

// MARK: - Numbers

extension TOMLParser.Literal {
    private static func number(_ word: String) -> TOMLTable.Value? {
        var literal = TOMLParser.Literal(word)
        var text = literal.consumeSign()
        guard let whole = literal.consumeDigits(), whole == "0" || !whole.hasPrefix("0") else { return nil }
        text += whole
        guard !literal.rest.isEmpty else { return Int(text).map(TOMLTable.Value.integer) }
        if literal.consume(".") {
            guard let fraction = literal.consumeDigits() else { return nil }
            text += "." + fraction
        }
        if literal.consume("e") || literal.consume("E") {
            text += "e" + literal.consumeSign()
            guard let exponent = literal.consumeDigits() else { return nil }
            text += exponent
        }
        return literal.rest.isEmpty ? Double(text).map(TOMLTable.Value.float) : nil
    }

    private static func integerOfOtherRadix(_ word: String) -> TOMLTable.Value? {
        let radixes = ["0x": 16, "0o": 8, "0b": 2]
        guard let radix = radixes[String(word.prefix(2))] else { return nil }
        var literal = TOMLParser.Literal(String(word.dropFirst(2)))
        guard let digits = literal.consumeDigits(where: \.isASCIIHexadecimalDigit), literal.rest.isEmpty else {
            return nil
        }
        return Int(digits, radix: radix).map(TOMLTable.Value.integer)
    }

    private mutating func consumeSign() -> String { consume("+") ? "" : consume("-") ? "-" : "" }

    /// Consumes digits with single underscores between them; nil if there are none.
    private mutating func consumeDigits(
        where isDigit: (Unicode.Scalar) -> Bool = \.isASCIIDigit
    ) -> String? {
        var digits = String.UnicodeScalarView()
        repeat {
            let run = rest.prefix(while: isDigit)
            guard !run.isEmpty else { return nil }
            digits += run
            rest = rest[run.endIndex...]
        } while consume("_")
        return String(digits)
    }

    private mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }
}

// MARK: - Dates and times

extension TOMLParser.Literal {
    private static func dateOrTime(_ word: String) -> TOMLTable.Value? {
        var literal = TOMLParser.Literal(word)
        guard literal.consumeDate() else {
            literal = TOMLParser.Literal(word)
            return literal.consumeTime() && literal.rest.isEmpty ? .time(word) : nil
        }
        if literal.rest.isEmpty { return .date(word) }
        guard literal.consume("T") || literal.consume("t") || literal.consume(" "), literal.consumeTime(),
            literal.consumeOffset(), literal.rest.isEmpty
        else { return nil }
        return .time(word.uppercased().replacing(" ", with: "T"))
    }

    private mutating func consumeDate() -> Bool {
        guard let year = consumeNumber(digits: 4), consume("-"), let month = consumeNumber(digits: 2), consume("-"),
            let day = consumeNumber(digits: 2), (1...12).contains(month)
        else { return false }
        let isLeapYear = year.isMultiple(of: 4) && !year.isMultiple(of: 100) || year.isMultiple(of: 400)
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...lengths[month - 1]).contains(day)
    }

    /// Consumes hours and minutes, and optional seconds with an optional fraction.
    private mutating func consumeTime() -> Bool {
        guard consumeHoursAndMinutes() else { return false }
        guard consume(":") else { return true }
        // A minute may have a leap second.
        guard let second = consumeNumber(digits: 2), second <= 60 else { return false }
        guard consume(".") else { return true }
        let fraction = rest.prefix(while: \.isASCIIDigit)
        rest = rest[fraction.endIndex...]
        return !fraction.isEmpty
    }

    /// Consumes an optional offset from UTC.
    private mutating func consumeOffset() -> Bool {
        if rest.isEmpty || consume("Z") || consume("z") { return true }
        return (consume("+") || consume("-")) && consumeHoursAndMinutes()
    }

    private mutating func consumeHoursAndMinutes() -> Bool {
        guard let hour = consumeNumber(digits: 2), consume(":"), let minute = consumeNumber(digits: 2) else {
            return false
        }
        return hour < 24 && minute < 60
    }

    private mutating func consumeNumber(digits count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        rest = rest[digits.endIndex...]
        return Int(String(digits))
    }
}

extension Unicode.Scalar {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
    fileprivate var isASCIIHexadecimalDigit: Bool {
        isASCIIDigit || ("a"..."f").contains(self) || ("A"..."F").contains(self)
    }
}
