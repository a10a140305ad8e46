import ACCAudioRecorder
import TestSupport
import Testing

/// What subscribers of a recording get. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct SubscriberTests {
    @Test("R-02, R-03: subscribers receive the same data, late ones from when they subscribe")
    func subscribersSeeTheSame() async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock, bufferSize: 960)
        #expect(await recorder.getCurrentStreams() == nil)
        let first = try await recorder.startRecording()
        let second = try #require(await recorder.getCurrentStreams())
        let cancelled = Task { await second.levels.all.count }
        clock.advance(by: .milliseconds(500))
        try await Self.wait(forFrame: 24_000, of: recorder)
        cancelled.cancel()
        _ = await cancelled.value
        // The state of this time, which is sent every 100 ms.
        clock.advance(by: .milliseconds(100))
        for await state in first.state where state.currentDuration ?? 0 >= 0.5 { break }
        try await Self.wait(forFrame: 28_800, of: recorder)

        let late = try #require(await recorder.getCurrentStreams())
        var histories = late.audioLevelHistory.makeAsyncIterator()
        let history = try #require(await histories.next())
        #expect(history.count == 30)
        #expect(history.allSatisfy { (-120...0).contains($0) })
        var states = late.state.makeAsyncIterator()
        let state = try #require(await states.next())
        #expect(state.isRecording && !state.isPaused && (0.5...0.6).contains(state.currentDuration ?? 0))

        clock.advance(by: .milliseconds(400))
        let report = try #require(await recorder.finishRecording())
        let all = await first.buffers.all
        let same = await second.buffers.all
        let rest = await late.buffers.all
        #expect(all.count == 50 && rest.count == 20)
        for (same, buffers) in [(same, all), (rest, Array(all.suffix(20)))] {
            #expect(same.map(\.timestamp) == buffers.map(\.timestamp) && same.map(\.data) == buffers.map(\.data))
        }
        #expect(NumberedSource.numbers(all) == Array(0..<48_000))
        #expect(report.frameCount == 48_000)
        #expect(await recorder.getCurrentStreams() == nil)
    }

    private static func wait(forFrame frame: Int, of recorder: ACCAudioRecorder) async throws {
        try await eventually("\(frame) frames") { await recorder.currentFrameCount() == frame }
    }

    @Test(
        "R-04: exact timestamps, and host times that advance as the source does, at its rate and at another",
        arguments: [48_000.0, 44_100])
    func buffersAreStamped(rate: Double) async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock, rate: rate, channels: 1, bufferSize: 4_096)
        let streams = try await recorder.startRecording()
        clock.advance(by: .seconds(2))
        await recorder.finishRecording()
        let buffers = await streams.buffers.all
        let start = try #require(buffers.first).hostTime
        var frame = 0
        for buffer in buffers {
            #expect(buffer.timestamp == Double(frame) / rate)
            #expect(buffer.sampleRate == rate && buffer.channelCount == 1)
            #expect(buffer.data.count == 4 * Int(buffer.frameLength))
            let time = Double(buffer.hostTime - start) * 1e-9
            #expect(abs(time - buffer.timestamp) < 1e-6, "\(time - buffer.timestamp) at \(frame)")
            frame += Int(buffer.frameLength)
        }
        #expect(Double(frame) == 2 * rate)
    }

    @Test("R-06: the last state always arrives")
    func theLastStateArrives() async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock, bufferSize: 64)
        for _ in 0..<100 {
            let streams = try await recorder.startRecording()
            var states = streams.state.makeAsyncIterator()
            let first = try #require(await states.next())
            #expect(first.isRecording && !first.isPaused && first.currentDuration != nil)
            clock.advance(by: .milliseconds(10))
            await recorder.finishRecording()
            var last: RecordingState?
            while let state = await states.next() { last = state }
            #expect(last?.isRecording == false && last?.currentDuration == nil)
        }
    }
}
