import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Recordings that last as long as a closure. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct ScopedRecordingTests {
    private static func recorder(seconds: Int? = 1) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 1),
            source: try SyntheticSource(sampleRate: 48_000, channelCount: 1, frameCount: seconds.map { $0 * 48_000 }) {
                frame, _ in Float(frame) * 0x1p-24
            })
    }

    private struct Mistake: Error {}

    @Test("R-10: a recording is finished when the closure returns")
    func finishesOnReturn() async throws {
        let recorder = try Self.recorder()
        let (value, report) = try await recorder.withRecording { streams in
            #expect(await recorder.getCurrentStreams() != nil)
            for await buffer in streams.buffers { return buffer.frameLength }
            return 0
        }
        #expect(value == 4_096)
        #expect(report.ending == .finished && report.frameCount == 48_000)
        #expect(await recorder.getCurrentStreams() == nil)
    }

    @Test("I-13: a recording is finished and kept when the closure throws")
    func finishesOnThrow() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "take.wav").path
            let recorder = try Self.recorder()
            let output = try RecordingOutput(path: path)
            do throws(WithRecordingError<Mistake>) {
                try await recorder.withRecording(to: [output]) { _ throws(Mistake) in throw Mistake() }
            } catch .body(_, let report) {
                // The error is a `Mistake`, as the compiler knows.
                #expect(report.frameCount == 48_000)
            } catch .start(let error) {
                Issue.record(error)
            }
            #expect(await recorder.getCurrentStreams() == nil)
            #expect(try PCMFile(wav: URL(filePath: path)).frames == 48_000)
        }
    }

    @Test("I-13: a recording is finished and kept when its task is cancelled")
    func finishesOnCancellation() async throws {
        let recorder = try Self.recorder(seconds: nil)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await recorder.withRecording { streams in
                for await _ in streams.buffers { begin.yield() }
            }.report
        }
        for await _ in begun { break }
        task.cancel()
        let report = try await task.value
        #expect(report.ending == .finished && report.frameCount > 0)
    }

    @Test("R-09: a command of a cancelled task is carried out, unless it is a start")
    func commandsOfACancelledTask() async throws {
        let recorder = try Self.recorder()
        try await recorder.startRecording()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await recorder.pauseRecording()
            try await recorder.resumeRecording()
            return await recorder.finishRecording()
        }
        task.cancel()
        #expect(try await task.value?.frameCount == 48_000)
    }

    @Test("R-08: the report of a recording that reached its limit in the closure")
    func endedByItself() async throws {
        let recorder = try Self.recorder()
        await recorder.setTimeLimit(maxDuration: 0.5)
        let report = try await recorder.withRecording { streams in for await _ in streams.buffers {} }.report
        #expect(report.ending == .limit && report.frameCount == 24_000)
    }

    @Test("R-10: only the closure's own recording is finished")
    func anotherRecording() async throws {
        let recorder = try Self.recorder(seconds: nil)
        let report = try await recorder.withRecording { _ in
            await recorder.discardRecording()
            try await recorder.startRecording()
        }.report
        #expect(report.ending == .discarded)
        #expect(await recorder.getCurrentStreams() != nil)
        await recorder.discardRecording()
    }

    @Test("R-09: a start that fails does not run the closure")
    func failingStart() async throws {
        let recorder = ACCAudioRecorder(configuration: .init(sampleRate: 1))
        await #expect(throws: WithRecordingError<Never>.self) {
            try await recorder.withRecording { _ in Issue.record("the closure ran") }
        }
    }

    @Test("R-10: a source that the closure prepares for the next recording stays open")
    func preparedSource() async throws {
        let recorder = try NumberedSource.recorder(by: SyntheticClock())
        try await recorder.withRecording { _ in
            await recorder.finishRecording()
            try await recorder.prepareRecording()
        }
        #expect(await recorder.isPrepared)
        await recorder.finishRecording()
        #expect(await !recorder.isPrepared)
    }
}
