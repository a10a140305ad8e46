import Testing

@testable import AccrecCommands

@Suite struct TimeTextTests {
    @Test(arguments: [
        (0, 1, "0:00.0"), (7.59, 1, "0:07.5"), (754.5, 1, "12:34.5"), (3_723.5, 1, "1:02:03.5"), (1.5, 3, "0:01.500"),
        (59.9999, 3, "0:59.999"), (90_000, 1, "25:00:00.0"),
    ])
    func formatsClockTimes(seconds: Double, decimals: Int, text: String) {
        #expect(TimeText.clock(seconds, decimals: decimals) == text)
    }

    @Test(
        "Times that no clock shows, as damaged files state them, are cut off",
        arguments: [1e300, -1e300, .infinity, .nan])
    func impossibleTimes(seconds: Double) {
        let isLong = seconds > 0
        #expect(TimeText.clock(seconds, decimals: 3) == (isLong ? "277777777:46:40.000" : "0:00.000"))
        #expect(TimeText.length(seconds) == (isLong ? "277777777:46:40.0" : "0 ms"))
        #expect(TimeText.rough(seconds) == (isLong ? "11574074 days" : "0 s"))
    }

    @Test(arguments: [(0.0, "0 s"), (119.9, "119 s"), (125, "2 min"), (45_000, "12 h"), (9e5, "10 days")])
    func formatsRoughDurations(seconds: Double, text: String) {
        #expect(TimeText.rough(seconds) == text)
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (99_400, "99 kB"), (999_600, "1.0 MB"), (6_380_000, "6.4 MB"),
    ])
    func sizesAreShort(count: Int, text: String) {
        #expect(ByteText.short(count) == text)
    }

    @Test(
        "A length that is not zero does not look like it",
        arguments: [(0.00017, "0.2 ms"), (1e-9, "0.1 ms"), (0.0006, "1 ms")])
    func shortLengths(seconds: Double, text: String) {
        #expect(TimeText.length(seconds) == text)
    }
}
