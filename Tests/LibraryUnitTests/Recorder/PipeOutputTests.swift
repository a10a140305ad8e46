import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// A program that reads a recording from a pipe, while the test moves the clock of the source. Sees the public interface
/// only.
@Suite(.timeLimit(.minutes(1)))
struct PipeOutputTests {
    @Test("A reader gets each fragment before the next one is captured")
    func fragmentsAreNotGathered() async throws {
        let clock = SyntheticClock()
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 1, bufferSize: 480),
            source: try SyntheticSource(sampleRate: 48_000, channelCount: 1, pace: .clock(clock)) { frame, _ in
                Float(frame) * 0x1p-24
            })
        let pipe = Pipe()
        var output = RecordingOutput(.descriptor(pipe.fileHandleForWriting.fileDescriptor), container: .raw)
        output.format.encoding = .given(.f32)
        try await recorder.startRecording(to: [output])
        let reader = pipe.fileHandleForReading.fileDescriptor
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
        var frames: [Float] = []
        for fragment in 1...100 {
            clock.advance(by: .milliseconds(10))
            try await eventually("fragment \(fragment) from the pipe", within: 10) {
                var part = [Float](repeating: 0, count: 480)
                let count = read(reader, &part, 480 * 4)
                frames += part.prefix(max(count, 0) / 4)
                return frames.count == 480 * fragment
            }
        }
        #expect(frames == (0..<48_000).map { Float($0) * 0x1p-24 })
        await recorder.discardRecording()
    }
}
