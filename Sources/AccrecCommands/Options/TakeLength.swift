import ArgumentParser

/// A duration as given to `--max`: `60`, `2.5`, `90s`, `5min`, `500ms`, `1h30m`, `1:30` or `1:02:03.5`.
struct TakeLength: Hashable, CustomStringConvertible {
    /// Greater than 0 and at most 1000 hours.
    let seconds: Double

    private static let longest = 3_600_000.0

    /// As help shows it: seconds.
    var description: String { Self.text(of: seconds) }

    static func text(of seconds: Double) -> String {
        seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }

    init(seconds: Double) {
        self.seconds = seconds
    }

    init?(_ argument: String) {
        guard let seconds = Self.seconds(argument), seconds > 0, seconds <= Self.longest else { return nil }
        self.seconds = seconds
    }

    /// Parses the duration.
    static func parse(_ text: String) throws -> TakeLength {
        guard let length = TakeLength(text) else {
            let example = "give a length of time up to 1000 hours, such as 60, 2.5, 90s, 5min, 1h30m or 1:30"
            throw ValidationError(text.hasPrefix("-") ? "it is negative; \(example)" : example)
        }
        return length
    }

    private static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 { return number(text[...]) ?? withUnits(text) }
        guard parts.count <= 3, let last = number(parts.last!), last < 60 else { return nil }
        var total = 0.0
        for (index, part) in parts.dropLast().enumerated() {
            guard part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), let value = Int(part),
                index == 0 || value < 60
            else { return nil }
            total = total * 60 + Double(value)
        }
        return total * 60 + last
    }

    /// Numbers with units, the largest unit first; only the last may have decimals.
    private static func withUnits(_ text: String) -> Double? {
        let units = ["ms": 0.001, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600]
        var (rest, total, last) = (text[...], 0.0, Double.infinity)
        repeat {
            let digits = rest.prefix { !$0.isLetter }
            let letters = rest.dropFirst(digits.count).prefix(while: \.isLetter)
            rest = rest[letters.endIndex...]
            guard let count = number(digits), let unit = units[String(letters)], unit < last,
                rest.isEmpty || !digits.contains(".")
            else { return nil }
            total += count * unit
            last = unit
        } while !rest.isEmpty
        return total
    }

    /// Accepts plain decimal notation only: no sign, no exponent, no `inf`.
    private static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }
}
