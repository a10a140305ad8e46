import ACCAudioRecorder
import TestSupport
import Testing

/// L-01: a recording paced by a test's clock. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct SyntheticClockTests {
    private static let configuration = ACCAudioRecorder.Configuration(
        sampleRate: 48_000, channelCount: 1, bufferSize: 480)

    private static func recorder(_ clock: SyntheticClock) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: configuration,
            source: try SyntheticSource(sampleRate: 48_000, channelCount: 1, pace: .clock(clock)) { frame, _ in
                Float(frame) * 0x1p-24
            })
    }

    @Test("L-01: frames arrive when the test moves the clock, and a finish takes what had arrived")
    func frames() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock)
        let streams = try await recorder.startRecording()
        var buffers = streams.buffers.makeAsyncIterator()
        clock.advance(by: .milliseconds(10))
        #expect(await buffers.next()?.timestamp == 0)
        clock.advance(by: .milliseconds(10))
        #expect(await buffers.next()?.timestamp == 0.01)
        // Half a buffer.
        clock.advance(by: .milliseconds(5))
        #expect(await recorder.finishRecording()?.frameCount == 1_200)
        #expect(await buffers.next()?.frameLength == 240)
        #expect(await buffers.next() == nil)
    }

    @Test("L-01: a finish takes exactly the frames of the clock's time", arguments: [1, 7, 10, 1_234, 1_357, 2_001])
    func exactLength(milliseconds: Int) async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock)
        try await recorder.startRecording()
        clock.advance(by: .milliseconds(milliseconds))
        #expect(await recorder.finishRecording()?.frameCount == max(48 * milliseconds, 96))
    }

    @Test("R-11: what the clock passes in a pause is not recorded")
    func pause() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock)
        let streams = try await recorder.startRecording()
        clock.advance(by: .seconds(1))
        await recorder.pauseRecording()
        #expect(await recorder.currentFrameCount() == 48_000)
        clock.advance(by: .seconds(3))
        try await recorder.resumeRecording()
        clock.advance(by: .seconds(1))
        let report = try #require(await recorder.finishRecording())
        #expect(report.frameCount == 96_000 && report.gaps.isEmpty)
        var numbers: [Int] = []
        for await buffer in streams.buffers {
            numbers += buffer.withSamples { $0.map { Int($0 * 0x1p24) } }
        }
        #expect(numbers == Array(0..<48_000) + Array(192_000..<240_000))
    }

    @Test("L-01: what the clock passes before a recording, and between two, is not recorded")
    func betweenRecordings() async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock)
        for start in [48_000, 144_000] {
            clock.advance(toFrame: start)
            let streams = try await recorder.startRecording()
            clock.advance(toFrame: start + 24_000)
            await recorder.finishRecording()
            #expect(NumberedSource.numbers(await streams.buffers.all) == Array(start..<start + 24_000))
        }
    }

    @Test(
        "C-02, L-01: frames that are lost without a word are reported missing at their place",
        arguments: [1_440, 48_000])
    func silentLoss(frames: Int) async throws {
        let clock = SyntheticClock()
        let recorder = ACCAudioRecorder(
            configuration: Self.configuration,
            source: try SyntheticSource(
                sampleRate: 48_000, channelCount: 1, pace: .clock(clock),
                faults: [.init(.lost(frames: frames), atFrame: 240_100)]
            ) { frame, _ in Float(frame) * 0x1p-24 })
        let streams = try await recorder.startRecording()
        clock.advance(by: .seconds(10))
        let report = try #require(await recorder.finishRecording())
        #expect(report.frameCount == 480_000 - frames)
        #expect(report.gaps.map(\.cause) == [.dropped])
        let gap = try #require(report.gaps.first)
        #expect(gap.span == .zero && abs(gap.position - 240_100) <= 480 && abs(gap.framesLost - frames) <= 1)
        var numbers: [Int] = []
        for await buffer in streams.buffers { numbers += buffer.withSamples { $0.map { Int($0 * 0x1p24) } } }
        #expect(numbers == Array(0..<240_100) + Array(240_100 + frames..<480_000))
    }

    @Test("R-06: the state is sent every 100 ms of the clock")
    func states() async throws {
        let clock = SyntheticClock()
        let recorder = try Self.recorder(clock)
        let streams = try await recorder.startRecording()
        var states = streams.state.makeAsyncIterator()
        #expect(await states.next()?.isRecording == true)
        for _ in 0..<20 {
            clock.advance(by: .milliseconds(100))
            #expect(await states.next()?.isRecording == true)
        }
        clock.advance(by: .milliseconds(99))
        await recorder.finishRecording()
        #expect(await states.next()?.isRecording == false)
        #expect(await states.next() == nil)
    }

    @Test("R-06: levels and their history come with each buffer, here every 100 ms of the clock")
    func levels() async throws {
        let clock = SyntheticClock()
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 1, bufferSize: 4_800),
            source: try SyntheticSource(sampleRate: 48_000, channelCount: 1, pace: .clock(clock)) { frame, _ in
                Float(frame / 4_800 + 1) / 64
            })
        let streams = try await recorder.startRecording()
        var levels = streams.levels.makeAsyncIterator()
        var histories = streams.audioLevelHistory.makeAsyncIterator()
        for tick in 1...20 {
            clock.advance(by: .milliseconds(100))
            let level = try #require(await levels.next())
            #expect(level.channels.map(\.peak) == [Float(tick) / 64])
            #expect(abs(level.timestamp - 0.1 * Double(tick)) < 0.001)
            #expect(await histories.next()?.count == tick)
        }
        await recorder.finishRecording()
        #expect(await levels.next() == nil)
    }

    @Test("L-01: sleepers wake up when the clock reaches their deadline, or when they are cancelled")
    func sleepers() async throws {
        let clock = SyntheticClock()
        try await clock.sleep(until: clock.now)
        let cancelled = Task { try await clock.sleep(for: .seconds(1_000)) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }

        let deadline = clock.now.advanced(by: .seconds(2))
        let sleeper = Task {
            try await clock.sleep(until: deadline)
            return clock.now.elapsed
        }
        clock.advance(by: .seconds(1))
        clock.advance(by: .seconds(-5))
        #expect(clock.now.elapsed == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(try await sleeper.value == .seconds(2))
    }
}
