import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// L-06: samples that a program pushes, into a recording or straight into a file. Sees the public interface only.
@Suite(.timeLimit(.minutes(1)))
struct PushSourceTests {
    private static let rate = 8_000

    /// A ramp of whole steps of 24 bits, whose frame n has the number n.
    private static func ramp(_ frames: Range<Int>) -> [Float] {
        frames.map { Float($0 & 0x3F_FFFF) * 0x1p-23 }
    }

    private static func recorder(of source: PushSource) -> ACCAudioRecorder {
        ACCAudioRecorder(
            configuration: .init(sampleRate: Double(rate), channelCount: 1, bufferSize: 160).with {
                $0.format.encoding = .given(.f32)
            },
            source: source)
    }

    @Test("L-06: whatever the length of writes, all of a minute is recorded, through a pause and two recordings")
    func everythingIsRecorded() async throws {
        let source = try PushSource(sampleRate: Double(Self.rate), channelCount: 1)
        let recorder = Self.recorder(of: source)
        let audio = try recorder.buffers(policy: .waiting)
        let received = Task {
            var samples: [Float] = []
            var ends = 0
            for await audio in audio {
                switch audio {
                case .buffer(let buffer): samples += buffer.toFloatArray() ?? []
                case .ended: ends += 1
                default: Issue.record("\(audio)")
                }
                if ends == 2 { break }
            }
            return samples
        }
        var generator = SystemRandomNumberGenerator()
        var position = 0
        for part in 0..<2 {
            try await recorder.startRecording()
            let end = (part + 1) * 30 * Self.rate
            while position < end {
                let next = min(position + Int.random(in: 1...20_000, using: &generator), end)
                try await source.write(Self.ramp(position..<next))
                position = next
                if Int.random(in: 0..<4, using: &generator) == 0 {
                    await recorder.pauseRecording()
                    #expect(await recorder.currentFrameCount() == position - part * 30 * Self.rate)
                    try await recorder.resumeRecording()
                }
            }
            let report = try #require(await recorder.finishRecording())
            #expect(report.frameCount == 30 * Self.rate && report.gaps.isEmpty)
        }
        #expect(await received.value == Self.ramp(0..<60 * Self.rate))
    }

    @Test("L-06: a write waits for a recording, holds a second at most, and ends when its task is cancelled")
    func writesWait() async throws {
        let source = try PushSource(sampleRate: Double(Self.rate), channelCount: 1)
        try await source.write(Self.ramp(0..<Self.rate))
        let late = Task { try await source.write(Self.ramp(Self.rate..<3 * Self.rate)) }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        let recorder = Self.recorder(of: source)
        try await recorder.startRecording()
        #expect(await recorder.finishRecording()?.frameCount == Self.rate)
    }

    @Test("L-06: incomplete frames, and buffers of another format, are refused whole")
    func refusals() async throws {
        let source = try PushSource(sampleRate: Double(Self.rate), channelCount: 2)
        await #expect(throws: ACCAudioRecorderError.self) { try await source.write([0.5]) }
        await #expect(throws: ACCAudioRecorderError.self) {
            try await source.write(AudioBufferData(samples: [0.5], sampleRate: Double(Self.rate), channelCount: 1))
        }
        #expect(throws: ACCAudioRecorderError.self) { try PushSource(sampleRate: 1, channelCount: 1) }
        let recorder = Self.recorder(of: source)
        try await recorder.startRecording()
        guard case .failed(.nothingRecorded) = await recorder.finishRecording()?.ending else {
            Issue.record("something was recorded")
            return
        }
    }

    @Test(
        "L-06: a file has exactly the samples that were written",
        arguments: ["take.wav", "take.flac", "take.caf", "take.aiff"])
    func writer(name: String) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: name).path
            let writer = try await AudioFileWriter(
                RecordingOutput(path: path), sampleRate: Double(Self.rate), channelCount: 1)
            for second in 0..<10 { try await writer.write(Self.ramp(second * Self.rate..<(second + 1) * Self.rate)) }
            let report = try await writer.finish()
            #expect(report.path == path && report.frameCount == 10 * Self.rate)
            #expect(try DecodedFile(URL(filePath: path)).samples == Self.ramp(0..<10 * Self.rate))
            var reader = try SoundFileReader(path: path)
            let (frames, rate, bits) = (reader.frameCount, reader.sampleRate, reader.integerBits)
            #expect(frames == 10 * Self.rate && rate == Double(Self.rate) && bits == 24)
            let isWhole = reader.canReadLastFrame()
            #expect(isWhole)
        }
    }

    @Test("L-06: a writer removes its file, leaves none of nothing, and completes one that is released")
    func writerEnds() async throws {
        try await TemporaryDirectory.with { directory in
            func writer(_ name: String) async throws -> AudioFileWriter {
                try await AudioFileWriter(
                    RecordingOutput(path: directory.appending(path: name).path), sampleRate: Double(Self.rate),
                    channelCount: 1)
            }
            let discarded = try await writer("discarded.wav")
            try await discarded.write(Self.ramp(0..<100))
            await discarded.discard()
            await #expect(throws: ACCAudioRecorderError.self) { try await discarded.write([0]) }
            let empty = try await writer("empty.wav")
            await #expect(throws: ACCAudioRecorderError.self) { try await empty.finish() }
            do {
                let released = try await writer("released.wav")
                try await released.write(Self.ramp(0..<100))
            }
            let released = directory.appending(path: "released.wav")
            try await eventually("a complete file") { (try? DecodedFile(released).samples) == Self.ramp(0..<100) }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["released.wav"])
        }
    }
}
