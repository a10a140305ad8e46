import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Recordings to several outputs. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct SeveralOutputsTests {
    @Test("Several outputs, each in its own format, begin and end together")
    func outputsHaveTheirOwnForms() async throws {
        try await TemporaryDirectory.with { directory in
            let paths = ["a.wav", "b.flac", "c.wav"].map { directory.appending(path: $0) }
            let clock = SyntheticClock()
            let recorder = try NumberedSource.recorder(by: clock)
            await recorder.setTimeLimit(maxDuration: 1.25)
            let streams = try await recorder.startRecording(to: [
                RecordingOutput(path: paths[0].path),
                RecordingOutput(path: paths[1].path, encoding: .s24, sampleRate: 44_100),
                RecordingOutput(path: paths[2].path, encoding: .f32, sampleRate: 16_000, channelCount: 1),
            ])
            clock.advance(by: .seconds(2))
            let report = try #require(await streams.events.all.report)
            #expect(report.outputs.map(\.frameCount) == [60_000, 55_125, 20_000])
            #expect(report.outputs.allSatisfy { $0.failure == nil })
            let files = [try PCMFile(wav: paths[0]), try await PCMFile(flac: paths[1]), try PCMFile(wav: paths[2])]
            #expect(files.map(\.frames) == [60_000, 55_125, 20_000])
            #expect(files.map(\.rate) == [48_000, 44_100, 16_000])
            #expect(files.map(\.channels) == [2, 2, 1])
            #expect(files.map(\.bits) == [16, 24, 32])
        }
    }

    @Test("F-10: the failure of one output does not stop the others")
    func aFailedOutputIsReported() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "take.wav")
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let clock = SyntheticClock()
            let recorder = try NumberedSource.recorder(by: clock)
            await recorder.setTimeLimit(maxDuration: 0.5)
            let streams = try await recorder.startRecording(to: [
                RecordingOutput(.descriptor(full.fileDescriptor), container: .raw), RecordingOutput(path: path.path),
            ])
            clock.advance(by: .seconds(1))
            let report = try #require(await streams.events.all.report)
            #expect(report.ending == .limit)
            #expect(report.outputs[0].failure?.failure?.reason == .diskFull)
            #expect(report.outputs[1].failure == nil)
            #expect(try PCMFile(wav: path).frames == 24_000)
        }
    }
}
