import Testing

@testable import AccrecCommands

@Suite struct LevelTextTests {
    @Test(
        "A level that is not finite can be displayed",
        arguments: [
            (-18.24, "-18.2", 0.696), (0, "0.0", 1), (-.infinity, "-inf", 0), (-120, "-inf", 0), (-119.9, "-119.9", 0),
            (.infinity, "inf", 1), (.nan, "nan", 0),
        ] as [(Float, String, Double)])
    func everyNumberIsShown(decibels: Float, text: String, part: Double) {
        #expect(DecibelText.short(decibels, .ascii) == text)
        #expect(DecibelText.short(decibels, .utf8) == (text == "-inf" ? "−∞" : text))
        #expect(abs(LevelScale.part(decibels) - part) < 1e-6)
    }
}
