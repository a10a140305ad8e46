import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct ChannelLevelsTextTests {
    private static func level(_ peak: Float, clipped: Int = 0) -> ChannelLevel {
        var level = ChannelLevel()
        (level.peak, level.sumOfSquares, level.clippedCount, level.sampleCount) = (
            peak, Double(peak * peak), clipped, 2
        )
        return level
    }

    private static func lines(_ levels: [ChannelLevel], names: [String] = [], columns: Int = 80) -> [String] {
        ChannelLevelsText(levels: levels, names: names, glyphs: .ascii, columns: columns).lines
    }

    @Test func stereoHasALineForEachChannel() {
        #expect(
            Self.lines([Self.level(0.5), Self.level(0)]) == [
                "level     channel 1: peak -6.0 dBFS, RMS -9.0 dBFS, 0 clipped",
                "level     channel 2: peak -inf dBFS, RMS -inf dBFS, 0 clipped",
            ])
    }

    @Test("Of many channels, the peak of each is there, and which are silent or clipped")
    func manyChannelsShareLines() {
        let eight = [0.5, 0.25, 0, 0, 0, 1, 0.1, 0.5].map { Self.level($0, clipped: $0 == 1 ? 12 : 0) }
        #expect(
            Self.lines(eight) == [
                "level     peak (dBFS) 1: -6.0, 2: -12.0, 3-5: -inf, 6: 0.0 (12 clipped),",
                "          7: -20.0, 8: -6.0, RMS up to -3.0, 12 clipped",
            ])
        #expect(
            Self.lines(Array(repeating: Self.level(0), count: 32))
                == ["level     peak (dBFS) 1-32: -inf, RMS up to -inf, 0 clipped"])
    }

    @Test("Tracks keep their names, and no line is wider than 80 columns")
    func tracksAreNamed() {
        let names = ["mic", "lark L", "lark R", String(repeating: "x", count: 60)]
        let lines = Self.lines(names.map { _ in Self.level(0) }, names: names)
        #expect(lines.first == "level     peak (dBFS) 1 mic: -inf, 2 lark L: -inf, 3 lark R: -inf,")
        #expect(lines.allSatisfy { $0.count <= 80 } && lines.count == 3, "\(lines)")
        let narrow = Self.lines(Array(repeating: Self.level(0), count: 3), names: ["a", "b", "c"], columns: 50)
        #expect(
            narrow == ["level     peak (dBFS) 1 a: -inf, 2 b: -inf,", "          3 c: -inf, RMS up to -inf, 0 clipped"])
    }
}
