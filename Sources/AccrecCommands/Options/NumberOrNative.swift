import ArgumentParser

/// A number given to an option, or the word `native` for the source's own value.
enum NumberOrNative {
    case native
    case number(Int)

    init(_ text: String, in range: ClosedRange<Int>) throws {
        if text == "native" {
            self = .native
        } else if let number = Int(text), range.contains(number) {
            self = .number(number)
        } else {
            throw ValidationError("give a whole number from \(range.lowerBound) to \(range.upperBound), or 'native'")
        }
    }

    /// A sample rate in Hz.
    static func rate(_ text: String) throws -> NumberOrNative {
        try NumberOrNative(hertz(text), in: 8_000...384_000)
    }

    /// The number of hertz in `44.1k`, `48kHz` or `44100Hz`; any other text unchanged.
    private static func hertz(_ text: String) -> String {
        guard let match = text.wholeMatch(of: /([0-9]{1,6}(?:\.[0-9]+)?)(k?)(?:Hz)?/.ignoresCase()),
            let number = Double(match.1)
        else { return text }
        let hertz = match.2.isEmpty ? number : number * 1000
        return hertz == hertz.rounded() ? String(Int(hertz)) : text
    }

    /// A channel count.
    static func channels(_ text: String) throws -> NumberOrNative {
        try NumberOrNative(text, in: 1...32)
    }

    /// The number; nil for the source's own value.
    var number: Int? {
        if case .number(let number) = self { return number }
        return nil
    }
}
