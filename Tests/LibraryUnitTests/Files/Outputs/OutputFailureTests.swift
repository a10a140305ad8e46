import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Outputs that the system no longer lets us write to.
@Suite(.timeLimit(.minutes(1)))
struct OutputFailureTests {
    private static let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))

    /// Writes a ramp of this many frames to all outputs, in blocks of 0.1 s, and completes them.
    ///
    /// - Returns: Their reports, and the outputs that were reported as ended.
    private func write(
        frames: Int, to outputs: [RecordingOutput]
    ) async throws -> (reports: [OutputReport], ended: [(output: RecordingOutput, error: ACCAudioRecorderError)]) {
        let broadcast = RecordingBroadcast()
        let events = broadcast.subscribe().events
        let writers = try outputs.map {
            try OutputWriter($0, for: .made("ramp"), form: Self.form, broadcast: broadcast)
        }
        for first in stride(from: 0, to: frames, by: 4_800) {
            let numbers = first..<min(first + 4_800, frames)
            withBlock(numbers.flatMap { [Self.sample($0), -Self.sample($0)] }, channels: 2) { block in
                // As on the thread of an engine.
                withPipeSignalBlocked { for writer in writers { writer.write(block) } }
            }
        }
        var reports: [OutputReport] = []
        for writer in writers { reports += await writer.finish(serverProcessing: []).value }
        broadcast.finish()
        var ended: [(RecordingOutput, ACCAudioRecorderError)] = []
        for await case .outputEnded(let output, let error) in events { ended.append((output, error)) }
        return (reports, ended)
    }

    @Test("An output that exceeds the largest file of its disk ends, is complete until then, and names the way out")
    func tooLarge() async throws {
        try await TemporaryDirectory.with { directory in
            var limit = rlimit()
            try #require(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            var small = limit
            small.rlim_cur = 1 << 16
            signal(SIGXFSZ, SIG_IGN)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small) == 0)
            defer {
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                signal(SIGXFSZ, SIG_DFL)
            }
            let path = directory.appending(path: "take.wav")
            let (_, ended) = try await write(frames: 96_000, to: [RecordingOutput(path: path.path)])
            let error = try #require(ended.first?.error)
            #expect(ended.count == 1 && error.description.contains("File too large. Split recordings"), "\(error)")
            let frames = try PCMFile(wav: path).frames
            #expect((12_000..<16_384).contains(frames), "\(frames)")
        }
    }

    private static func sample(_ number: Int) -> Float { Float(number & 0x7FFF) / 32_768 }

    private static func samples(frames: Int) -> [Int16] {
        (0..<frames).flatMap { frame in
            let sample = Int16(frame & 0x7FFF)
            return [sample, -sample]
        }
    }

    @Test(
        "F-10: a system error ends that output at once, and no other",
        arguments: [
            ("/dev/full", ACCAudioRecorderError.Failure.Reason.diskFull, "No space left on device"),
            // Nothing is mapped at address 0.
            ("/proc/self/mem", .cannotWrite, "Input/output error"),
        ])
    func aFailureEndsThatOutput(path: String, reason: ACCAudioRecorderError.Failure.Reason, cause: String) async throws
    {
        try await TemporaryDirectory.with { directory in
            let file = try #require(FileHandle(forWritingAtPath: path))
            let whole = directory.appending(path: "whole.wav")
            let (reports, ended) = try await write(
                frames: 48_000,
                to: [
                    RecordingOutput(.descriptor(file.fileDescriptor), container: .raw),
                    RecordingOutput(path: whole.path),
                ])
            #expect(ended.map(\.output) == [reports[0].output] && ended.map(\.error) == [reports[0].failure])
            let failure = try #require(reports[0].failure?.failure)
            #expect(failure.reason == reason && failure.cause == cause)
            #expect(reports[0].frameCount == 0)
            #expect(reports[1].failure == nil && reports[1].frameCount == 48_000)
            #expect(try PCMFile(wav: whole).int16 == Self.samples(frames: 48_000))
        }
    }

    @Test("An output without a reader ends, and says how many frames were written to the pipe")
    func aClosedPipeEndsItsOutput() async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let output = RecordingOutput(.descriptor(pipe.fileHandleForWriting.fileDescriptor), container: .raw)
        let (reports, ended) = try await write(frames: 48_000, to: [output])
        #expect(ended.map { $0.error.failure?.reason } == [.readerGone])
        #expect(reports.map(\.frameCount) == [0])
    }
}
