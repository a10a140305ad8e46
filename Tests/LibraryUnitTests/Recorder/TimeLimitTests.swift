import ACCAudioRecorder
import Dispatch
import Synchronization
import TestSupport
import Testing

/// Limits of a recording's length. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct TimeLimitTests {
    @Test("R-08: the limit is exact, also across a pause and after a conversion", arguments: [48_000.0, 44_100])
    func theLimitIsExact(rate: Double) async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock, rate: rate)
        let streamsEnded = Mutex(false)
        let endedBeforeHandler = Mutex<Bool?>(nil)
        await recorder.setTimeLimit(maxDuration: 2.5) {
            // The streams are still open, and the recording is complete.
            #expect(await recorder.currentDuration() == 2.5)
            #expect(await recorder.getCurrentStreams() != nil)
            endedBeforeHandler.withLock { $0 = streamsEnded.withLock { $0 } }
        }
        let streams = try await recorder.startRecording()
        let reading = Task {
            let buffers = await streams.buffers.all
            streamsEnded.withLock { $0 = true }
            return buffers
        }
        clock.advance(by: .seconds(1))
        await recorder.pauseRecording()
        clock.advance(by: .seconds(5))
        try await recorder.resumeRecording()
        clock.advance(by: .seconds(2))
        let buffers = await reading.value
        #expect(buffers.reduce(0) { $0 + Int($1.frameLength) } == Int(2.5 * rate))
        if rate == 48_000 {
            #expect(NumberedSource.numbers(buffers) == Array(0..<48_000) + Array(288_000..<360_000))
        }
        #expect(endedBeforeHandler.withLock { $0 } == false)
        let events = await streams.events.all
        #expect(events.suffix(2).first == .limit && events.report?.ending == .limit)
        try await eventually("the end") { await recorder.getCurrentStreams() == nil }
    }

    @Test("R-08: setting, changing or clearing a limit during a recording takes effect at once")
    func theLimitActsAtOnce() async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock)
        await recorder.setTimeLimit(maxDuration: 0.5)
        var streams = try await recorder.startRecording()
        await recorder.clearTimeLimit()
        clock.advance(by: .milliseconds(700))
        try await eventually("0.7 s") { await recorder.currentFrameCount() == 33_600 }
        await recorder.setTimeLimit(maxDuration: 1)
        clock.advance(by: .seconds(1))
        var report = await streams.events.all.report
        #expect(report?.ending == .limit && report?.frameCount == 48_000)

        // The limit stays for the next recording, and a recording that is already longer ends at once.
        streams = try await recorder.startRecording()
        clock.advance(by: .seconds(2))
        report = await streams.events.all.report
        #expect(report?.ending == .limit && report?.frameCount == 48_000)
        await recorder.clearTimeLimit()
        streams = try await recorder.startRecording()
        clock.advance(by: .milliseconds(500))
        await recorder.pauseRecording()
        await recorder.setTimeLimit(maxDuration: 0.1)
        report = await streams.events.all.report
        #expect(report?.ending == .limit && report?.frameCount == 24_000)
    }

    @Test("R-08: a limit that is set while a pause is closing its segment ends the recording after that")
    func limitWithinAPause() async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock)
        let (observed, observe) = AsyncStream.makeStream(of: Void.self)
        let mayGoOn = DispatchSemaphore(value: 0)
        await recorder.setLevelObserver(every: .milliseconds(100)) { _ in
            observe.yield()
            mayGoOn.wait()
        }
        let streams = try await recorder.startRecording()
        clock.advance(by: .milliseconds(100))
        for await _ in observed { break }
        let pause = Task { await recorder.pauseRecording() }
        try await eventually("a pause") { await recorder.isPausedState() }
        await recorder.setTimeLimit(maxDuration: 0.05)
        // What the limit has started may run now.
        for _ in 0..<100 { _ = await Task { await recorder.isPausedState() }.value }
        for _ in 0..<10 { mayGoOn.signal() }
        await pause.value
        let events = await streams.events.all
        // The engine may see the limit before the stop.
        #expect(events.count { $0 == .limit } == 1 && events.report?.ending == .limit)
    }

    @Test("R-08: a limit that is set while the source is away ends the recording at once")
    func limitWithinAnInterruption() async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(by: clock, faults: [.init(.removed(nil), atFrame: 48_000)])
        let streams = try await recorder.startRecording()
        clock.advance(by: .seconds(1))
        for await event in streams.events { if case .interrupted = event { break } }
        await recorder.setTimeLimit(maxDuration: 0.5)
        let report = await streams.events.all.report
        #expect(report?.ending == .limit && report?.frameCount == 48_000)
    }

    @Test("R-08: a limit of nothing is reached at once, which is no failure")
    func noLength() async throws {
        let recorder = try NumberedSource.recorder(by: SyntheticClock())
        await recorder.setTimeLimit(maxDuration: 0)
        let report = try await recorder.startRecording().events.all.report
        #expect(report?.ending == .limit && report?.frameCount == 0)
    }
}
