import ArgumentParser

/// A length of time as `--max` takes it: `60`, `2.5`, `90s`, `5m`, `1h`, `1:30` or `1:02:03.5`.
struct TakeLength: Hashable {
    /// More than 0 and at most 1000 hours.
    let seconds: Double

    private static let longest = 3_600_000.0

    init?(_ argument: String) {
        guard let seconds = Self.seconds(argument), seconds > 0, seconds <= Self.longest else { return nil }
        self.seconds = seconds
    }

    /// The length, for an option.
    static func parse(_ text: String) throws -> TakeLength {
        guard let length = TakeLength(text) else {
            throw ValidationError("give a length above 0 and up to 1000 hours, such as 60, 2.5, 90s, 5m, 1h or 1:30")
        }
        return length
    }

    private static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1 { return withUnit(text) }
        guard parts.count <= 3, let last = number(parts.last!), last < 60 else { return nil }
        var total = 0.0
        for (index, part) in parts.dropLast().enumerated() {
            guard let value = Int(part), value >= 0, index == 0 || value < 60 else { return nil }
            total = total * 60 + Double(value)
        }
        return total * 60 + last
    }

    private static func withUnit(_ text: String) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        guard let last = text.last, let unit = units[last] else { return number(text[...]) }
        return number(text.dropLast()).map { $0 * unit }
    }

    /// Plain decimal notation only: no sign, no exponent, no `inf`.
    private static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }
}
