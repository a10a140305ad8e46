import Testing

@testable import AccrecCommands

@Suite struct RecordingLengthTests {
    @Test(arguments: [
        ("60", 60), ("2.5", 2.5), ("90s", 90), ("5m", 300), ("1.5h", 5400), ("1:30", 90), ("01:02:03.5", 3723.5),
        ("120:00", 7200), (".5", 0.5), ("1h30m", 5400), ("5min", 300), ("500ms", 0.5), ("1m2.5s", 62.5),
        ("1h1min1s1ms", 3661.001), ("10sec", 10), ("1d", 86_400), ("2 days", 172_800), ("10minutes", 600),
        ("1h30", 5_400), ("1h05", 3_900),
        ("1 h", 3_600), ("1 hour 30 minutes", 5_400), ("1.5 hrs", 5_400), ("1d12h", 129_600),
    ])
    func parsesLengths(text: String, seconds: Double) {
        #expect(RecordingLength(text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "0", "-5", "+5", "abc", "1:60", "1:2:3:4", "30m1h", "1h2h", "1.5h30m", "1h3", "1h60", "1h030", "1m30",
        "1d12", "1.5h30", "5 m 1 h", " 5", "5 5", "1hm", "1:60:00",
        ":30", "1:", "5x", "s", "1e3", "inf", "nan", "0x10",
        "1001h",
        "1..2", "1:-5", "٣", "1:٣", "+1:30", "1:+2:30",
    ])
    func rejectsInvalidLengths(text: String) {
        #expect(RecordingLength(text) == nil)
    }
}
