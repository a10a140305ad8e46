import ArgumentParser

/// A number that an option asks for, or the word `native` for what the source has.
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

    /// A rate in Hz.
    static func rate(_ text: String) throws -> NumberOrNative {
        try NumberOrNative(text, in: 8_000...384_000)
    }

    /// A number of channels.
    static func channels(_ text: String) throws -> NumberOrNative {
        try NumberOrNative(text, in: 1...32)
    }

    /// The number; nil for the source's.
    var number: Int? {
        if case .number(let number) = self { return number }
        return nil
    }
}
