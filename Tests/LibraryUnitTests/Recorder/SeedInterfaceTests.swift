import ACCAudioRecorder
import Foundation
import Testing

/// details of the interface that code for iOS relies on.
@Suite(.timeLimit(.minutes(1)))
struct SeedInterfaceTests {
    private static func recorder(_ interruptions: InterruptionPolicy = .init()) throws -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 1, interruptions: interruptions),
            source: try SyntheticSource(sampleRate: 48_000, channelCount: 1, frameCount: 48_000) { _, _ in 0.5 })
    }

    @Test("R-01: a start is a statement")
    func start() async throws {
        let recorder = try Self.recorder()
        try await recorder.startRecording()
        #expect(await recorder.finishRecording()?.frameCount == 48_000)
    }

    @Test(
        "R-08: a limit that is no length is refused and changes nothing", arguments: [-1, -TimeInterval.infinity, .nan])
    func limits(limit: TimeInterval) async throws {
        let recorder = try Self.recorder()
        #expect(await recorder.setTimeLimit(maxDuration: 0.5))
        #expect(await !recorder.setTimeLimit(maxDuration: limit))
        let streams = try await recorder.startRecording()
        var frames = 0
        for await buffer in streams.buffers { frames += Int(buffer.frameLength) }
        #expect(frames == 24_000)
    }

    @Test("R-08: an infinite limit is none")
    func noLimit() async throws {
        let recorder = try Self.recorder()
        #expect(await recorder.setTimeLimit(maxDuration: .infinity))
        try await recorder.startRecording()
        #expect(await recorder.finishRecording()?.frameCount == 48_000)
    }

    @Test("R-09: errors are matched by their case, whatever their details")
    func errors() async throws {
        let recorder = try Self.recorder()
        try await recorder.startRecording()
        do {
            try await recorder.startRecording()
        } catch ACCAudioRecorderError.recordingAlreadyInProgress {
        } catch {
            Issue.record(error)
        }
        await recorder.discardRecording()
        let impossible = ACCAudioRecorder(configuration: .init(sampleRate: 1))
        do {
            try await impossible.startRecording()
        } catch {
            switch error {
            case .audioFormatCreationFailed: break
            default: Issue.record(error)
            }
        }
    }
}
