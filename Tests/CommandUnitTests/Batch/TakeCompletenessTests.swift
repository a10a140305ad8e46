import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// The completeness of a take is determined from its files.
@Suite struct TakeCompletenessTests {
    /// A take of half a second at 48 kHz stereo, at this path.
    private func take(
        _ path: String, duration: Double? = 0.5, format: FormatSettings = .init(sampleRate: 48_000, channelCount: 2),
        endsByKey: Bool = false
    ) throws -> BatchTake {
        var configuration = ACCAudioRecorder.Configuration()
        configuration.format = format
        let outputs = [try RecordingOutput(path: path)]
        return BatchTake(
            line: 1, repetition: 1, settings: .init(configuration, outputs: outputs), outputs: outputs,
            duration: duration, endsByKey: endsByKey, prompt: nil)
    }

    private func isComplete(_ take: BatchTake, frames: Int? = nil, bytes: Int = 0) throws -> Bool {
        let prior = try frames.map { frames in
            let line =
                #"{"outputs":["\#(take.name)"],"status":"recorded","#
                + #""report":{"outputs":[{"path":"\#(take.name)","frames":\#(frames),"bytes":\#(bytes)}]}}"#
            return try JSONText.decode(ResultRecord.Prior.self, from: Data(line.utf8))
        }
        return take.isComplete(by: prior)
    }

    private func samples(_ frames: Int, channels: Int = 2) -> [Int16] {
        Signal.counter(frames: frames, channels: channels)
    }

    @Test func framesRateAndChannelsAreChecked() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "a.wav")
            let take = try take(file.path)
            #expect(try !isComplete(take, frames: 24_000))
            let files: [(rate: Int, channels: Int, frames: Int, isComplete: Bool)] = [
                (48_000, 2, 24_000, true), (48_000, 2, 23_999, false), (48_000, 2, 24_001, false),
                (44_100, 2, 24_000, false), (48_000, 1, 24_000, false), (48_000, 2, 0, false),
            ]
            for form in files {
                let samples = samples(form.frames, channels: form.channels)
                try PCMFile(rate: form.rate, channels: form.channels, samples).write(wav: file)
                // Whatever was reported.
                #expect(try isComplete(take) == form.isComplete, "\(form)")
                #expect(try isComplete(take, frames: form.frames) == form.isComplete, "\(form)")
            }
            try PCMFile(rate: 44_100, channels: 1, samples(22_050, channels: 1)).write(wav: file)
            #expect(try isComplete(self.take(file.path, format: .native)))
            try Data("no audio".utf8).write(to: file)
            #expect(try !isComplete(take))
        }
    }

    @Test func resultsMayHaveAnyFrameCount() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "a.raw")
            try Data(count: 4).write(to: file)
            let take = try take(file.path, endsByKey: true)
            for frames in [Int.max, .min, -1, 0] { #expect(try !isComplete(take, frames: frames)) }
            #expect(try isComplete(take, frames: 1))
        }
    }

    @Test func truncatedFileIsIncomplete() async throws {
        try await TemporaryDirectory.with { directory in
            let wav = directory.appending(path: "a.wav")
            // Noise, because it does not get shorter in FLAC.
            try PCMFile(rate: 48_000, channels: 2, Signal.noise(seed: 1, samples: 48_000)).write(wav: wav)
            let flac = directory.appending(path: "a.flac")
            let made = try await ChildProcess.run(["flac", "-s", "-o", flac.path, wav.path])
            #expect(made.end == .exit(0), "\(made.standardError)")
            #expect(try isComplete(take(flac.path)))
            for file in [wav, flac] {
                let content = try Data(contentsOf: file)
                try content.dropLast(content.count / 3).write(to: file)
                #expect(try !isComplete(take(file.path)), "\(file)")
            }
        }
    }

    @Test func rawFilesAreCheckedBySize() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "a.raw")
            try Signal.data(samples(24_000)).write(to: file)
            #expect(try isComplete(take(file.path)))
            #expect(try !isComplete(take(file.path, duration: 0.6)))
            // Only the report says how many channels were recorded.
            let native = try take(file.path, format: .init(sampleRate: 48_000, channelCount: .native))
            #expect(try !isComplete(native))
            #expect(try isComplete(native, frames: 24_000, bytes: 96_000))
        }
    }

    @Test func lengthOfATakeEndedByHandComesFromTheResults() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "a.wav")
            try PCMFile(rate: 48_000, channels: 2, samples(1_000)).write(wav: file)
            for take in [try take(file.path, duration: nil), try take(file.path, endsByKey: true)] {
                #expect(try !isComplete(take))
                #expect(try isComplete(take, frames: 1_000))
                #expect(try !isComplete(take, frames: 1_001))
            }
        }
    }
}
