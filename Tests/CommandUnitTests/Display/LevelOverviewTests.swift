import Testing

@testable import AccrecCommands

@Suite struct LevelOverviewTests {
    @Test(arguments: [1.0, 60, 36_000])
    func showsTakesOfAnyLength(length: Double) {
        var overview = LevelOverview()
        // Silence, then full scale for the last quarter.
        for step in 1...1_000 {
            overview.append(peak: step > 750 ? 0 : -120, at: length * Double(step) / 1_000)
        }
        let text = overview.text(columns: 16, glyphs: .utf8)
        #expect(text.count == 16)
        #expect(text.hasPrefix("          "), "\(text)")
        #expect(text.hasSuffix("███"), "\(text)")
    }

    @Test func aSinglePeakIsNotLost() {
        var overview = LevelOverview()
        for step in 1...10_000 { overview.append(peak: step == 5_000 ? 0 : -120, at: Double(step) * 0.1) }
        #expect(overview.text(columns: 60, glyphs: .utf8).contains("█"))
    }

    @Test("Speech shows its words, whatever its level", arguments: [-3, -20] as [Float])
    func showsSpeech(level: Float) {
        var overview = LevelOverview()
        for step in 0..<8 { overview.append(peak: level - 4 * Float(step), at: 0.05 * Double(step)) }
        #expect(overview.text(columns: 8, glyphs: .utf8) == "█▇▆▅▄▃▂▁")
    }

    @Test func isEmptyBeforeTheFirstBuffer() {
        #expect(LevelOverview().text(columns: 60, glyphs: .ascii).isEmpty)
    }
}
