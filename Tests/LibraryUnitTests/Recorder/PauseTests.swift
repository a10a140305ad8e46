import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Pauses by the user. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct PauseTests {
    @Test("R-07, R-11: nothing of a pause is recorded, and nothing around it is missing; the events are in order")
    func pause() async throws {
        try await TemporaryDirectory.with { directory in
            let (clock, path) = (SyntheticClock(), directory.appending(path: "take.wav"))
            let recorder = try NumberedSource.recorder(by: clock)
            let streams = try await recorder.startRecording(to: [RecordingOutput(path: path.path)])
            clock.advance(toFrame: 48_001)
            await recorder.pauseRecording()
            #expect(await recorder.isPausedState())
            #expect(await recorder.currentFrameCount() == 48_001)
            clock.advance(toFrame: 72_003)
            #expect(await recorder.currentFrameCount() == 48_001)
            try await recorder.resumeRecording()
            #expect(await !recorder.isPausedState())
            clock.advance(toFrame: 120_000)
            let report = try #require(await recorder.finishRecording())

            let expected = Array(0..<48_001) + Array(72_003..<120_000)
            let buffers = await streams.buffers.all
            #expect(NumberedSource.numbers(buffers) == expected)
            let after = try #require(buffers.first { $0.timestamp >= 48_001.0 / 48_000 })
            #expect(after.timestamp == 48_001.0 / 48_000)
            let pause = Double(after.hostTime - buffers[0].hostTime) * 1e-9 - after.timestamp
            #expect(abs(pause - 24_002.0 / 48_000) < 1e-6)
            let file = try PCMFile(wav: path)
            #expect(Signal.numbers(inCounter: file.int16, channels: 2).map { Int($0) } == expected)
            #expect(report.frameCount == expected.count && report.gaps.isEmpty)

            // A counter is no sound that anybody would record.
            let events = await streams.events.all.filter { if case .signal = $0 { false } else { true } }
            guard case .opened(let source, let format) = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(
                events == [
                    .opened(source, format: format), .fileOpened(path: path.path),
                    .started(hostTime: buffers[0].hostTime), .paused(frame: 48_001), .resumed(source),
                    .finished(report),
                ])
        }
    }

    @Test("What was recorded before a pause is in the file during it")
    func fileDuringAPause() async throws {
        try await TemporaryDirectory.with { directory in
            let (clock, path) = (SyntheticClock(), directory.appending(path: "take.wav"))
            let recorder = try NumberedSource.recorder(by: clock)
            try await recorder.startRecording(to: [RecordingOutput(path: path.path)])
            clock.advance(toFrame: 48_001)
            await recorder.pauseRecording()
            try await eventually("all frames in the file") { (try? PCMFile(wav: path))?.frames == 48_001 }
            await recorder.finishRecording()
        }
    }

    @Test(
        "I-11: a recording that the user paused is resumed only by the user, not when the interruption is over",
        arguments: [
            (SyntheticSource.Fault.Kind.removed(.seconds(5)), RecordingInterruption.deviceLost),
            (.serverLost(.seconds(5)), .serverLost),
            (.call(.seconds(5)), .call), (.suspended(.seconds(5)), .suspended),
        ])
    func pauseInAnInterruption(fault: SyntheticSource.Fault.Kind, cause: RecordingInterruption) async throws {
        let clock = SyntheticClock()
        let recorder = try NumberedSource.recorder(
            by: clock, faults: [.init(fault, atFrame: 48_000)], .init(timeout: .seconds(2)))
        let streams = try await recorder.startRecording()
        clock.advance(by: .seconds(2))
        var told: [RecordingEvent] = []
        for await event in streams.events {
            told.append(event)
            if case .interrupted = event { break }
        }
        #expect(told.last == .interrupted(cause))
        await recorder.pauseRecording()
        // The interruption is over after six seconds; it would be given up after three.
        clock.advance(by: .seconds(8))
        #expect(await recorder.isPausedState())
        #expect(await recorder.currentFrameCount() == 48_000)
        try await recorder.resumeRecording()
        clock.advance(by: .seconds(1))
        let report = try #require(await recorder.finishRecording())
        // The user's pause is not a gap.
        #expect(report.gaps.isEmpty && report.ending == .finished)
        #expect(NumberedSource.numbers(await streams.buffers.all) == Array(0..<48_000) + Array(480_000..<528_000))
        let returned: [RecordingEvent] = cause == .deviceLost ? [.deviceReturned(report.source)] : []
        #expect(
            await streams.events.all
                == [.paused(frame: 48_000)] + returned + [.resumed(report.source), .finished(report)])
    }
}
