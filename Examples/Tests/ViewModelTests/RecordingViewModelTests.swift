import ACCAudioRecorder
import Foundation
import Testing

@testable import ViewModel

/// A view model is tested without a sound server: its recorder records what the test makes up, when the test says so.
@MainActor @Suite(.timeLimit(.minutes(1)))
struct RecordingViewModelTests {
    /// A tone at half of full scale, which is unplugged after two seconds and does not return.
    private static func model(_ clock: SyntheticClock) throws -> RecordingViewModel {
        let source = try SyntheticSource(
            sampleRate: 48_000, channelCount: 1, pace: .clock(clock),
            faults: [.init(.removed(nil), atFrame: 96_000)]
        ) { frame, _ in frame % 2 == 0 ? 0.5 : -0.5 }
        return RecordingViewModel(
            recorder: ACCAudioRecorder(
                configuration: .init(
                    sampleRate: 48_000, channelCount: 1, bufferSize: 4_800,
                    interruptions: .init(onDisconnect: .stop)),
                source: source))
    }

    private static func temporaryPath() -> String {
        FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).wav").path
    }

    @Test("The view shows level and duration, and the report at the end")
    func aRecording() async throws {
        let (clock, path) = (SyntheticClock(), Self.temporaryPath())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let model = try Self.model(clock)
        try await model.startRecording(to: path)
        clock.advance(by: .seconds(1))
        await model.stopRecording()
        #expect(!model.isRecording && model.failure == nil)
        #expect(abs(model.level + 6.02) < 0.01)
        #expect(model.report?.frameCount == 48_000)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("The view shows why a recording failed, and keeps the file")
    func anUnpluggedMicrophone() async throws {
        let (clock, path) = (SyntheticClock(), Self.temporaryPath())
        defer { try? FileManager.default.removeItem(atPath: path) }
        let model = try Self.model(clock)
        try await model.startRecording(to: path)
        clock.advance(by: .seconds(3))
        while model.failure == nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(model.failure?.failure?.reason == .deviceLost)
        #expect(!model.isRecording && model.report?.frameCount == 96_000)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("A discarded recording leaves no file")
    func aDiscardedRecording() async throws {
        let (clock, path) = (SyntheticClock(), Self.temporaryPath())
        let model = try Self.model(clock)
        try await model.startRecording(to: path)
        clock.advance(by: .seconds(1))
        await model.discardRecording()
        #expect(!model.isRecording && model.report == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
