import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// The timing of converted recordings. Sees the public interface only.
// The sanitisers find in it what they find in the other tests, and take minutes for so many conversions.
@Suite(.timeLimit(.minutes(1)), .tags(.skipsThreadSanitizer, .skipsAddressSanitizer))
struct ConversionTimeTests {
    private static let rates = [8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]

    @Test("F-05: an impulse keeps its position within a fiftieth of a sample, at all pairs of rates", arguments: rates)
    func keepsTheTime(from: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let frame = from / 2 + 1
            let source = try SyntheticSource(sampleRate: Double(from), channelCount: 1, frameCount: from) { number, _ in
                number == frame ? 1 : 0
            }
            let recorder = ACCAudioRecorder(configuration: .init(audioSessionMode: .measurement), source: source)
            let paths = Self.rates.map { directory.appending(path: "\($0).wav") }
            try await recorder.startRecording(
                to: zip(Self.rates, paths).map { rate, path in
                    try RecordingOutput(path: path.path, encoding: .f32, sampleRate: Double(rate))
                })
            #expect(await recorder.finishRecording()?.frameCount == from)
            for (to, path) in zip(Self.rates, paths) {
                let recording = try PCMFile(wav: path)
                #expect(recording.rate == to && recording.frames == to)
                if to == from {
                    #expect(recording.floats.firstIndex { $0 != 0 } == frame && recording.floats[frame] == 1)
                }
                let band = 0.9 * Double(min(from, to)) / Double(to)
                let position = try #require(Impulse.position(in: recording.floats, upTo: band))
                let expected = Double(frame) * Double(to) / Double(from)
                #expect(abs(position - expected) < 0.02, "\(from) Hz to \(to) Hz")
            }
        }
    }
}
