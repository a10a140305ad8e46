import Testing

@testable import AccrecCommands

@Suite struct LevelPictureTests {
    @Test(arguments: [1.0, 60, 36_000])
    func showsTheCourseOfATakeOfAnyLength(length: Double) {
        var picture = LevelPicture()
        // Silence, then full scale for the last quarter.
        for step in 1...1_000 {
            picture.take(peak: step > 750 ? 0 : -120, at: length * Double(step) / 1_000)
        }
        let text = picture.text(columns: 16, glyphs: .utf8)
        #expect(text.count == 16)
        #expect(text.hasPrefix("          "), "\(text)")
        #expect(text.hasSuffix("███"), "\(text)")
    }

    @Test func aSinglePeakIsNotLost() {
        var picture = LevelPicture()
        for step in 1...10_000 { picture.take(peak: step == 5_000 ? 0 : -120, at: Double(step) * 0.1) }
        #expect(picture.text(columns: 60, glyphs: .utf8).contains("█"))
    }

    @Test func isEmptyBeforeTheFirstBuffer() {
        #expect(LevelPicture().text(columns: 60, glyphs: .ascii).isEmpty)
    }
}
