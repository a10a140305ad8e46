import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Audio that is kept before a recording, at the edges of its life.
@Suite(.timeLimit(.minutes(1)))
struct KeptAudioTests {
    private static let rate = 8_000

    /// A recorder of a minute's ramp, which has kept a second of it.
    private static func preparedRecorder() async throws -> ACCAudioRecorder {
        let source = try SyntheticSource(sampleRate: Double(rate), channelCount: 1, frameCount: 60 * rate) { frame, _ in
            Float(frame) * 0x1p-24
        }
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: Double(rate), channelCount: 1).with {
                $0.format.encoding = .given(.f32)
            }, source: source)
        try await recorder.prepareRecording(keeping: .seconds(1))
        return recorder
    }

    /// Waits until there is audio that is kept, and can be saved.
    private static func waitForAudio(_ recorder: ACCAudioRecorder, in directory: URL) async throws {
        _ = try await eventually("audio that is kept") {
            try? await recorder.saveKeptAudio(
                to: RecordingOutput(path: directory.appending(path: "\(UUID()).wav").path))
        }
    }

    @Test(
        "A start that fails closes the source that was prepared: nothing is left to save, and it can be prepared again")
    func aFailedStartClosesTheSource() async throws {
        try await TemporaryDirectory.with { directory in
            let recorder = try await Self.preparedRecorder()
            try await Self.waitForAudio(recorder, in: directory)
            await #expect(throws: ACCAudioRecorderError.self) {
                let nowhere = try RecordingOutput(path: directory.appending(path: "none/take.wav").path)
                try await recorder.startRecording(to: [nowhere])
            }
            #expect(await !recorder.isPrepared)
            let error = await #expect(throws: ACCAudioRecorderError.self) {
                try await recorder.saveKeptAudio(to: RecordingOutput(path: directory.appending(path: "late.wav").path))
            }
            #expect(error?.failure?.reason == .noFrames)
            #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "late.wav").path))
            try await recorder.prepareRecording(keeping: .seconds(1))
            try await Self.waitForAudio(recorder, in: directory)
            try await recorder.startRecording()
            #expect(try #require(await recorder.finishRecording()).frameCount >= Self.rate)
        }
    }

    @Test("Nothing can be saved after the end, and no stream is opened then")
    func nothingAfterTheEnd() async throws {
        let recorder = try await Self.preparedRecorder()
        let streams = try await recorder.startRecording()
        await recorder.finishRecording()
        // Ends by itself.
        for await _ in streams.events {}
        #expect(await recorder.getCurrentStreams() == nil)
        let error = await #expect(throws: ACCAudioRecorderError.self) {
            try await recorder.saveKeptAudio(to: RecordingOutput(path: "/nowhere/take.wav"))
        }
        #expect(error?.failure?.reason == .noFrames)
    }
}
