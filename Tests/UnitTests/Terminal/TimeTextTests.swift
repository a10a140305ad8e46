import Testing

@testable import AccrecCommands

@Suite struct TimeTextTests {
    @Test(arguments: [
        (0, 1, "0:00.0"), (7.59, 1, "0:07.5"), (754.5, 1, "12:34.5"), (3_723.5, 1, "1:02:03.5"), (1.5, 3, "0:01.500"),
        (59.9999, 3, "0:59.999"), (90_000, 1, "25:00:00.0"),
    ])
    func isAClock(seconds: Double, decimals: Int, text: String) {
        #expect(TimeText.clock(seconds, decimals: decimals) == text)
    }
}
