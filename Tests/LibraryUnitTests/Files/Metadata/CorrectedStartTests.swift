import Foundation
import Glibc
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The start time of a recording of which the first fragments did not tell it exactly.
// Half an hour of samples, which takes a minute under a sanitiser.
@Suite(.timeLimit(.minutes(1)), .tags(.lengthy, .skipsThreadSanitizer, .skipsAddressSanitizer))
struct CorrectedStartTests {
    private static let rate = 8_000

    /// A source of which a wrong latency is stated at first, and whose clock drifts.
    private static func source(seconds: Int, drift: Double = 0) throws -> SyntheticSource {
        var source = try SyntheticSource(sampleRate: Double(rate), channelCount: 1, frameCount: seconds * rate) {
            _, _ in 0.5
        }
        source.restamp = { frames, stamp in
            let late = Int64(Double(frames.upperBound) / Double(rate) * drift * 1e9)
            let stated = frames.lowerBound < rate ? late - 200_000_000 : late
            stamp.arrivalTime = UInt64(Int64(stamp.arrivalTime) + late)
            stamp.hostTime = UInt64(Int64(stamp.hostTime) + stated)
        }
        return source
    }

    private static func recorder(
        _ source: SyntheticSource, _ splitting: SplittingPolicy = .init()
    ) -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(sampleRate: Double(rate), channelCount: 1, bufferSize: 80, splitting: splitting),
            source: source)
    }

    /// When the first frame was captured, as it was known at first.
    private static func firstTime(_ streams: RecordingStreams) async -> Date? {
        for await case .started(let hostTime) in streams.events { return Date(hostTime: hostTime) }
        return nil
    }

    /// Frames since midnight, local time.
    private static func frame(of date: Date) -> Int {
        var time = Int(date.timeIntervalSince1970)
        var local = tm()
        localtime_r(&time, &local)
        let seconds = Double(local.tm_hour * 3_600 + local.tm_min * 60 + local.tm_sec)
        return Int(((seconds + date.timeIntervalSince1970 - Double(time)) * Double(rate)).rounded())
    }

    @Test("The bext chunk of every file agrees with the report", arguments: [Container.wav, .rf64], [nil, 12.0])
    func broadcastExtension(container: Container, interval: Double?) async throws {
        try await TemporaryDirectory.with { directory in
            var output = try RecordingOutput(path: directory.appending(path: "take.wav").path, container: container)
            output.isBroadcastWave = true
            let recorder = Self.recorder(try Self.source(seconds: 30), .init(interval: interval.map { .seconds($0) }))
            let streams = try await recorder.startRecording(to: [output])
            await recorder.mark("a cue after the samples")
            let report = try #require(await recorder.finishRecording())
            let start = try #require(report.startDate)
            let first = try #require(await Self.firstTime(streams))
            #expect(start.timeIntervalSince(first) > 0.02)
            #expect(report.outputs.count == (interval == nil ? 1 : 3))
            for file in report.outputs {
                guard case .file(let path) = file.output.destination else { continue }
                let chunk = try #require(try BroadcastChunk(URL(filePath: path)))
                let day = 86_400 * Self.rate
                #expect(abs(chunk.timeReference - (Self.frame(of: start) + file.firstFrame) % day) <= 1)
                let time = chunk.time.split(separator: ":").reduce(0) { $0 * 60 + (Int($1) ?? 0) }
                #expect(time == chunk.timeReference / Self.rate)
                #expect(try DecodedFile(URL(filePath: path)).samples.count == file.frameCount)
            }
        }
    }

    @Test("A drift of the clocks does not move the start", arguments: [-500e-6, 500e-6])
    func drift(drift: Double) async throws {
        let recorder = Self.recorder(try Self.source(seconds: 1_200, drift: drift))
        let streams = try await recorder.startRecording()
        let report = try #require(await recorder.finishRecording())
        let first = try #require(await Self.firstTime(streams))
        #expect(try abs(#require(report.startDate).timeIntervalSince(first)) < 0.1)
    }
}
