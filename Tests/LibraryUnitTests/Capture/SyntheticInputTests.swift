import Testing

@testable import ACCAudioRecorder

@Suite(.timeLimit(.minutes(1))) struct SyntheticInputTests {
    @Test("L-01: a clock that stands still is no source that stalls: the input says in time that nothing comes")
    func standingStill() async throws {
        let clock = SyntheticClock()
        let backend = SyntheticBackend(
            try SyntheticSource(sampleRate: 48_000, channelCount: 1, pace: .clock(clock)) { _, _ in 0 })
        let settings = CaptureSettings(streamProperties: [:], fragmentFrames: 480, api: .asynchronous)
        let input = try SyntheticInput.open(
            backend, SyntheticConnection(backend: backend), backend.synthetic.source, settings, start: .atOnce)
        // Before the wait is over, after which a source has stalled.
        #expect(input.ring.wait(for: 1) == .ready)
        #expect(input.ring.item(0) == .exhausted)
        input.ring.remove { _, _ in }
        clock.advance(by: .milliseconds(10))
        #expect(input.ring.wait(for: 1) == .ready)
        #expect(input.ring.item(0).stamp?.byteCount == 480 * 4)
        await input.stop(.now)
    }
}
