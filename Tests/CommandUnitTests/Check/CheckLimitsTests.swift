import ACCAudioRecorder
import TestSupport
import Testing

@testable import AccrecCommands

@Suite struct CheckLimitsTests {
    @Test(
        "A loudness with and without a tolerance",
        arguments: [("-23±1", -23.0, 1.0), ("-23+-1", -23, 1), ("-16.5±0.2", -16.5, 0.2), ("-23", -23, 0.5)])
    func loudness(text: String, target: Double, tolerance: Double) throws {
        let loudness = try CheckLimits.Loudness.parse(text)
        #expect(loudness.target == target && loudness.tolerance == tolerance)
    }

    @Test("What is no loudness", arguments: ["", "±1", "-23±", "-23±-1", "-23±1±1", "loud", "nan", "inf", "-23 LUFS"])
    func noLoudness(text: String) {
        #expect(throws: (any Error).self) { try CheckLimits.Loudness.parse(text) }
    }

    @Test("A negative value needs no equals sign")
    func negativeValues() throws {
        let command = try CheckCommand.parse(
            [
                "a.wav", "--loudness", "-23±1", "--max-true-peak", "-1", "--min-level", "-40", "--ignore",
                "identical,gap",
            ])
        #expect(command.limits.loudness?.target == -23 && command.limits.maxTruePeak == -1)
        #expect(command.limits.minLevel == -40 && command.limits.ignore == ["identical", "gap"])
        #expect(throws: (any Error).self) { try CheckCommand.parse(["a.wav", "--ignore", "identicel"]) }
    }

    @Test("A figure is compared as it is shown")
    func comparesRoundedFigures() throws {
        var check = SignalCheck(sampleRate: 48_000, channelMap: .standard(channelCount: 1), integerBits: 16)
        let peak: Float = 0.892
        let samples = (0..<48_000).map { $0 % 2 == 0 ? peak : -peak }
        samples.withUnsafeBufferPointer { check.add($0, at: 0) }
        let figures = check.finish()
        let kept = try CheckCommand.parse(["a.wav", "--max-true-peak", "30", "--min-level", "-1"]).limits
        #expect(kept.excesses(of: figures).isEmpty)
        let broken = try CheckCommand.parse(["a.wav", "--min-level", "-0.5"]).limits
        #expect(broken.excesses(of: figures).map(\.text) == ["level of speech on channel 1 is -0.8 dBFS, below -0.5"])
    }
}
