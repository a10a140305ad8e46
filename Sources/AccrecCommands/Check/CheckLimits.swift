import ACCAudioRecorder
import ArgumentParser

/// Which faults count, and what a file must keep besides.
struct CheckLimits: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Kinds of findings to leave out, separated by commas: identical,silent.", valueName: "kinds"),
        transform: Self.kinds)
    var ignore: Set<String> = []

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
            guard target <= 0 else { throw ValidationError("a loudness is below 0 LUFS, such as -23±1") }
            guard tolerance >= 0 else { throw ValidationError("'\(text)' is no loudness such as -23±1") }
            return Self(target: target, tolerance: tolerance)
        }
    }

    private static func kinds(_ text: String) throws -> Set<String> {
        let names = text.split(separator: ",").map(String.init)
        for name in names where !FileCheck.kinds.contains(name) {
            let near = NearestWord.to(name, among: FileCheck.kinds).map { "Did you mean '\($0)'?" }
            let all = "Give one of \(FileCheck.kinds.sorted().joined(separator: ", "))."
            throw ValidationError("no kind of findings '\(name)'. \(near ?? all)")
        }
        return Set(names)
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
