import Testing

@testable import ACCAudioRecorder

/// L-01: long recordings without a server, which take about a second an hour.
// So much audio takes minutes under a sanitiser.
@Suite(.timeLimit(.minutes(1)), .tags(.skipsThreadSanitizer, .skipsAddressSanitizer))
struct HourOfAudioTests {
    private static let rate = 44_100

    private static func recorder(_ pace: SyntheticSource.Pace, hours: Int = 1) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            source: try SyntheticSource(
                sampleRate: Double(rate), channelCount: 1, frameCount: hours * 3_600 * rate, pace: pace
            ) { frame, _ in Float(frame & 0xFFFF) * 0x1p-16 })
    }

    @Test("L-01: an hour of levels, as fast as possible")
    func levels() async throws {
        let recorder = try Self.recorder(.asFastAsPossible)
        let levels = try await recorder.startRecording().levels
        async let last = levels.reduce(nil) { _, level in level }
        let report = try #require(await recorder.finishRecording())
        #expect(report.frameCount == 3_600 * Self.rate && report.gaps.isEmpty)
        #expect(await last?.timestamp == 3_600)
    }

    @Test("L-01: an hour of buffers by a clock, of which none is missed")
    func buffers() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(.clock(clock))
        var buffers = try await recorder.startRecording().buffers.makeAsyncIterator()
        var (frames, missed) = (0, 0)
        for seconds in stride(from: 20, through: 3_600, by: 20) {
            clock.advance(by: .seconds(20))
            while frames + 4_096 <= seconds * Self.rate, let buffer = await buffers.next() {
                frames += Int(buffer.frameLength)
                missed += buffer.missedFrameLength
            }
        }
        async let report = recorder.finishRecording()
        while let buffer = await buffers.next() { frames += Int(buffer.frameLength) }
        #expect(frames == 3_600 * Self.rate && missed == 0)
        #expect(await report?.frameCount == frames)
    }

    @Test("L-02: who subscribes to levels alone holds no buffer in ten minutes, and who holds all streams does")
    func levelsAlone() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(.clock(clock))
        try await recorder.startRecording()
        var levels = recorder.levels().makeAsyncIterator()
        let broadcast = try #require(await recorder.session?.broadcast)
        for minute in 1...10 {
            clock.advance(by: .seconds(60))
            while let level = await levels.next(), level.timestamp < Double(60 * minute) - 0.1 {}
            #expect(!broadcast.audio.hasSubscribers && broadcast.levels.hasSubscribers)
        }
        let streams = await recorder.getCurrentStreams()
        withExtendedLifetime(streams) { #expect(broadcast.audio.hasSubscribers) }
        await recorder.finishRecording()
    }
}
