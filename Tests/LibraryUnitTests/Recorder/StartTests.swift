import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// What happens while a recording is being started.
@Suite(.timeLimit(.minutes(1)))
struct StartTests {
    /// A synthetic source whose server answers when the test says so.
    private final class SlowBackend: CaptureBackend {
        let isAsked = Promise<Void>()
        let answer = Promise<Void>()
        private let backend: SyntheticBackend

        init(_ source: SyntheticSource) {
            backend = SyntheticBackend(source)
        }

        var waitsForRecording: Bool { backend.waitsForRecording }

        func now() -> UInt64 { backend.now() }

        func connect() async throws(CaptureFailure) -> any CaptureConnection {
            isAsked.fulfil(())
            await answer.value
            return try await backend.connect()
        }
    }

    @Test("R-08: a limit that is set or removed while a recording starts counts for it", arguments: [0.25, nil])
    func limit(seconds: Double?) async throws {
        let clock = SyntheticClock()
        let backend = SlowBackend(
            try SyntheticSource(sampleRate: 48_000, channelCount: 1, pace: .clock(clock)) { _, _ in 0 })
        let recorder = ACCAudioRecorder(
            .init(sampleRate: 48_000, channelCount: 1, input: .source("synthetic")), backend, RecorderClock(clock))
        await recorder.setTimeLimit(maxDuration: 0.5)
        let start = Task { try await recorder.startRecording() }
        await backend.isAsked.value
        if let seconds { await recorder.setTimeLimit(maxDuration: seconds) } else { await recorder.clearTimeLimit() }
        backend.answer.fulfil(())
        let streams = try await start.value
        clock.advance(by: .seconds(1))
        if seconds == nil { await recorder.finishRecording() }
        #expect(await streams.events.all.report?.frameCount == Int((seconds ?? 1) * 48_000))
    }

    @Test(
        "A start of a cancelled task ends at once, however long the server takes, and leaves no file; a later one begins"
    )
    func cancelled() async throws {
        try await TemporaryDirectory.with { directory in
            let clock = SyntheticClock()
            let backend = SlowBackend(
                try SyntheticSource(sampleRate: 48_000, channelCount: 1, pace: .clock(clock)) { _, _ in 0 })
            let recorder = ACCAudioRecorder(.init(sampleRate: 48_000, channelCount: 1), backend, RecorderClock(clock))
            let output = try RecordingOutput(path: directory.appending(path: "take.wav").path)
            let start = Task { try await recorder.startRecording(to: [output]) }
            await backend.isAsked.value
            // This one waits for its turn.
            let next = Task { try await recorder.startRecording(to: [output]) }
            for task in [next, start] {
                task.cancel()
                let error = await #expect(throws: ACCAudioRecorderError.self) { try await task.value }
                #expect(error?.failure?.reason == .cancelled)
            }
            backend.answer.fulfil(())
            try await recorder.startRecording(to: [output])
            await recorder.discardRecording()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
        }
    }

    @Test("A start that is abandoned before it has begun does not begin; a later one does")
    func abandonedBefore() async throws {
        let recorder = try NumberedSource.recorder(by: SyntheticClock())
        for _ in 0..<2 {
            #expect(await recorder.abandonStart())
            await #expect(throws: ACCAudioRecorderError.self) { try await recorder.startRecording() }
            try await recorder.startRecording()
            #expect(await !recorder.abandonStart())
            await recorder.discardRecording()
            // Once a recording has begun, there is nothing to abandon until the next start.
            #expect(await !recorder.abandonStart())
            _ = try await recorder.startRecording()
            await recorder.discardRecording()
            try await Self.fail(recorder)
        }
    }

    /// Starts in vain, after which another start may be abandoned.
    private static func fail(_ recorder: ACCAudioRecorder) async throws {
        let nowhere = try RecordingOutput(path: "/nosuch/take.wav")
        await #expect(throws: ACCAudioRecorderError.self) { try await recorder.startRecording(to: [nowhere]) }
    }
}
