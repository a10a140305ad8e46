import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// What a recording does for the clients of its socket.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RemoteControlTests {
    /// Makes a request of a recording in three files of a second and a fourth that is not complete.
    ///
    /// - Returns: The answer, and the names of the files that are left.
    private static func answer(
        to request: ControlRequest
    ) async throws -> (answer: ControlAnswer.Received, files: [String]) {
        try await TemporaryDirectory.with { directory in
            let clock = SyntheticClock()
            let source = try SyntheticSource(
                samples: [Int16](repeating: 1, count: 480_000), sampleRate: 48_000, channelCount: 1, pace: .clock(clock)
            )
            let configuration = ACCAudioRecorder.Configuration(
                sampleRate: 48_000, channelCount: 1, bufferSize: 480, splitting: SplittingPolicy(interval: .seconds(1)))
            let recorder = ACCAudioRecorder(configuration: configuration, source: source)
            let outputs = [try RecordingOutput(path: directory.appending(path: "take.wav").path)]
            let recording = RecordingModel(RecordingProgress(outputs: outputs))
            let answer = try await RuntimeDirectory.with { _ in
                let remote = RemoteControl(recorder, recording, outputs: outputs, isStrict: false, tell: { _ in }) {
                    await recorder.finishRecording()
                }
                let events = try await recorder.startRecording(to: outputs).events
                await remote.begin()
                let following = Task {
                    for await event in events {
                        if case .finished(let report) = event { await remote.end(report) }
                    }
                }
                clock.advance(by: .milliseconds(3_500))
                try await eventually("the fourth file") { await recorder.currentFrameCount() ?? 0 > 144_000 }
                let answering = Task.detached {
                    try RunningRecording.answer(
                        to: request, from: try #require(ControlSocket.all().first), within: 10_000
                    )
                    .answer
                }
                let answer = try await answering.value
                await following.value
                return answer
            }
            return (answer, try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted())
        }
    }

    @Test(
        "A recording is discarded without the files that are complete, which are named, or as a whole if that is asked for"
    )
    func discards() async throws {
        let kept = ["take-002.wav", "take-003.wav", "take.wav"]
        for all in [nil, false] {
            let (answer, files) = try await Self.answer(to: ControlRequest(command: .discard, all: all))
            #expect(answer.ok && files == kept)
            #expect(answer.keptFiles.compactMap { $0.split(separator: "/").last.map(String.init) }.sorted() == kept)
        }
        let (answer, files) = try await Self.answer(to: ControlRequest(command: .discard, all: true))
        #expect(answer.ok && answer.keptFiles.isEmpty && files.isEmpty)
    }
}
