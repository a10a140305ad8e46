import ACCAudioRecorder
import Testing

@testable import AccrecCommands

@Suite struct InterruptionTextTests {
    @Test(
        arguments: [
            (.deviceLost, .seconds(60), "device unplugged since 00:00:30, ends at 00:01:30"),
            (.suspended, .milliseconds(500), "source suspended since 00:00:30, ends at 00:00:31"),
            (.call, .seconds(60), "call in another program since 00:00:30"),
            (.serverLost, nil, "sound server gone since 00:00:30"),
        ] as [(RecordingInterruption, Duration?, String)])
    func saysForWhatSinceWhenAndHowLong(interruption: RecordingInterruption, longest: Duration?, text: String) {
        // Midnight where the tests run, so that the text does not depend on the time zone.
        let midnight = LocalDay(of: 1_700_000_000, addingDays: 0).instant(at: 0)
        let texts = InterruptionText(interruption, since: midnight + 30, longestWait: longest).forms
        #expect(texts.first == text)
        #expect(texts.last == "\(interruption)")
        #expect(texts.map(\.utf8.count) == texts.map(\.utf8.count).sorted(by: >))
    }
}
