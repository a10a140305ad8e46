import ACCAudioRecorder
import ArgumentParser

/// What a file must keep besides being without faults.
struct CheckLimits: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The integrated loudness in LUFS, and how far it may be off in LU: -23±1, -23+-1 or -23 (for ±0.5).",
            valueName: "LUFS"),
        transform: Loudness.parse)
    var loudness: Loudness?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The highest true peak in dBTP, such as -1.", valueName: "dBTP"), transform: Self.number)
    var maxTruePeak: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The largest loudness range in LU.", valueName: "LU"), transform: Self.number)
    var maxRange: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The lowest level of speech on each channel in dBFS, such as -40.", valueName: "level"),
        transform: Self.number)
    var minLevel: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The least distance from the noise floor to the level of speech on each channel in dB.",
            valueName: "decibels"),
        transform: Self.number)
    var minDistance: Double?

    /// A loudness, and how far from it is near enough.
    struct Loudness: Sendable {
        /// In LUFS.
        let target: Double
        /// In LU.
        let tolerance: Double

        /// What EBU R 128 allows.
        private static let usualTolerance = 0.5

        /// Reads `-23±1`, `-23+-1` or `-23`.
        static func parse(_ text: String) throws -> Self {
            let parts = text.replacing("±", with: "+-").split(separator: "+-", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count) else { throw ValidationError("'\(text)' is no loudness such as -23±1") }
            let target = try CheckLimits.number(String(parts[0]))
            let tolerance = parts.count == 2 ? try CheckLimits.number(String(parts[1])) : usualTolerance
            guard tolerance >= 0 else { throw ValidationError("'\(text)' is no loudness such as -23±1") }
            return Self(target: target, tolerance: tolerance)
        }
    }

    private static func number(_ text: String) throws -> Double {
        guard let number = Double(text), number.isFinite, abs(number) < 1_000 else {
            throw ValidationError("'\(text)' is not a number")
        }
        return number
    }

    /// The limits that a signal does not keep: in words, and the value that it has instead.
    func excesses(of figures: SignalFigures) -> [(text: String, value: Double?)] {
        var excesses: [(text: String, value: Double?)] = []
        /// A figure is compared as it is shown, with one digit.
        func expect(
            _ name: String, _ value: Double?, _ unit: String, within range: ClosedRange<Double>, _ limit: String
        ) {
            let shown = value.map { ($0 * 10).rounded() / 10 }
            if let shown, range.contains(shown) { return }
            let text = shown.map { "\(LevelText.decimal($0)) \(unit)" } ?? "unknown"
            excesses.append(("\(name) is \(text), \(limit)", value))
        }
        if let loudness {
            let (target, tolerance) = (loudness.target, loudness.tolerance)
            expect(
                "loudness", figures.integrated, "LUFS", within: target - tolerance - 1e-9...target + tolerance + 1e-9,
                "not \(LevelText.decimal(target)) ± \(LevelText.decimal(tolerance))")
        }
        if let maxTruePeak {
            expect(
                "true peak", figures.truePeak, "dBTP", within: -1_000...maxTruePeak,
                "above \(LevelText.decimal(maxTruePeak))")
        }
        if let maxRange {
            expect(
                "loudness range", figures.range ?? 0, "LU", within: -1_000...maxRange,
                "above \(LevelText.decimal(maxRange))")
        }
        for (index, channel) in figures.channels.enumerated() {
            if let minLevel {
                expect(
                    "level of speech on channel \(index + 1)", channel.speechLevel ?? -120, "dBFS",
                    within: minLevel...1_000, "below \(LevelText.decimal(minLevel))")
            }
            if let minDistance {
                expect(
                    "distance from noise to speech on channel \(index + 1)", channel.distance ?? 0, "dB",
                    within: minDistance...1_000, "below \(LevelText.decimal(minDistance))")
            }
        }
        return excesses
    }
}

extension SignalFigures.Channel {
    /// From the noise floor to the level of speech, in dB; nil without sound.
    var distance: Double? { speechLevel.flatMap { speech in noiseFloor.map { speech - $0 } } }
}

/// Formats figures of a signal.
enum LevelText {
    /// With one digit behind the point.
    static func decimal(_ value: Double) -> String {
        let tenths = Int((min(max(value, -1e9), 1e9) * 10).rounded())
        return (tenths < 0 ? "-" : "") + "\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
