import ACCAudioRecorder
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(2)))
struct BroadcastServerTests {
    @Test(
        "R-02, R-03: subscribers receive the same data, late ones from when they subscribe",
        arguments: ServerKind.allCases)
    func subscribersSeeTheSame(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let recorder = ACCAudioRecorder(configuration: RecorderFixture.configuration(server))
            #expect(await recorder.getCurrentStreams() == nil)
            let first = try await recorder.startRecording()
            let second = try #require(await recorder.getCurrentStreams())
            let cancelled = Task { await RecorderFixture.all(second.levels).count }
            async let firstBuffers = RecorderFixture.all(first.buffers)
            async let secondBuffers = RecorderFixture.all(second.buffers)
            try await RecorderFixture.wait(for: 0.5, of: recorder)
            cancelled.cancel()

            let late = try #require(await recorder.getCurrentStreams())
            var histories = late.audioLevelHistory.makeAsyncIterator()
            let history = try #require(await histories.next())
            #expect(history.count >= 20 && history.count <= 100)
            #expect(history.allSatisfy { (-120...0).contains($0) })
            var states = late.state.makeAsyncIterator()
            let state = try #require(await states.next())
            #expect(state.isRecording && !state.isPaused && state.currentDuration ?? 0 > 0)
            async let lateBuffers = RecorderFixture.all(late.buffers)

            try await RecorderFixture.wait(for: 1, of: recorder)
            let report = try #require(await recorder.finishRecording())
            _ = await cancelled.value
            let all = await firstBuffers
            let same = await secondBuffers
            let rest = await lateBuffers

            #expect(all.map(\.timestamp) == same.map(\.timestamp))
            #expect(all.map(\.data) == same.map(\.data))
            #expect(!rest.isEmpty && rest.count < all.count)
            #expect(all.suffix(rest.count).map(\.data) == rest.map(\.data))
            #expect(all.reduce(0) { $0 + Int($1.frameLength) } == report.frameCount)
            #expect(RecorderFixture.breaks(all.flatMap(RecorderFixture.numbers)).isEmpty)
            #expect(await recorder.getCurrentStreams() == nil)
        }
    }

    @Test("R-04: exact timestamps, and host times that agree with the clock", arguments: ServerKind.allCases)
    func buffersAreStamped(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let configuration = RecorderFixture.configuration(server, rate: 44_100, channels: 1, bufferSize: 4_096)
            let recorder = ACCAudioRecorder(configuration: configuration)
            let streams = try await recorder.startRecording()
            async let finished = finish(recorder, after: 2)
            var frame = 0
            var lastHostTime: UInt64 = 0
            for await buffer in streams.buffers {
                #expect(buffer.timestamp == Double(frame) / 44_100)
                #expect(buffer.sampleRate == 44_100 && buffer.channelCount == 1)
                #expect(buffer.data.count == 4 * Int(buffer.frameLength))
                #expect(buffer.hostTime >= lastHostTime)
                lastHostTime = buffer.hostTime
                frame += Int(buffer.frameLength)
            }
            let end = try await finished
            // The last frame was captured when the recording was finished: neither before nor long after.
            let length = UInt64(4_096) * 1_000_000_000 / 44_100
            #expect(lastHostTime <= end.after)
            #expect(lastHostTime + 2 * length >= end.before)
        }
    }

    @Test("R-10: finishing keeps every frame captured until then", arguments: ServerKind.allCases)
    func finishKeepsTheTail(kind: ServerKind) async throws {
        try await RecorderFixture.withCounter(kind) { server in
            let configuration = RecorderFixture.configuration(server, bufferSize: 4_800)
            let recorder = ACCAudioRecorder(configuration: configuration)
            // The server delivers blocks of up to 100 ms, and finishing may happen anywhere in one.
            for _ in 0..<8 {
                let streams = try await recorder.startRecording()
                async let buffers = RecorderFixture.all(streams.buffers)
                let end = try await finish(recorder, after: 0.2)
                let last = try #require(await buffers.last)
                let lastFrame = last.hostTime + UInt64(last.frameLength) * 1_000_000_000 / 48_000
                // The server's latency is an estimate.
                #expect(lastFrame + 50_000_000 >= end.before)
            }
        }
    }

    /// Finishes after this many seconds of recording; returns the times before and after the call.
    private func finish(
        _ recorder: ACCAudioRecorder, after seconds: Double
    ) async throws -> (before: UInt64, after: UInt64) {
        try await RecorderFixture.wait(for: seconds, of: recorder)
        let before = Monotonic.now()
        await recorder.finishRecording()
        return (before, Monotonic.now())
    }
}
