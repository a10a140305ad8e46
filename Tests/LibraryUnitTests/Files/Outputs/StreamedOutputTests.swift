import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Containers that are written to a pipe.
@Suite(.timeLimit(.minutes(1)))
struct StreamedOutputTests {
    private static let rate = 8_000

    /// The output for a 16-bit ramp, with a marker and a cut in it.
    private func stream(
        _ container: Container, _ encoding: SampleEncoding?, frames: Int
    ) async throws -> (data: Data, report: OutputReport) {
        let pipe = Pipe()
        var output = RecordingOutput(
            .descriptor(pipe.fileHandleForWriting.fileDescriptor), container: container, encoding: encoding)
        output.isDithered = false
        output.tags = [.title: "A stream"]
        let writer = try OutputWriter(
            output, for: .made("microphone"),
            form: StreamFormat(sampleRate: Self.rate, channelMap: .standard(channelCount: 1)),
            broadcast: RecordingBroadcast())
        let reading = Promise<Data>()
        Thread.detachNewThread {
            reading.fulfil((try? pipe.fileHandleForReading.readToEnd()) ?? Data())
        }
        writer.begin(hostTime: 1_000_000_000)
        let ramp = Self.ramp(frames: frames)
        withBlock(Array(ramp[..<(frames / 2)])) { writer.write($0) }
        writer.mark("here", at: 10)
        writer.startNewFile(hostTime: 2_000_000_000, serverProcessing: [])
        withBlock(Array(ramp[(frames / 2)...])) { writer.write($0) }
        let reports = await writer.finish(serverProcessing: []).value
        try pipe.fileHandleForWriting.close()
        #expect(reports.count == 1 && reports[0].failure == nil && reports[0].frameCount == frames)
        return (await reading.value, reports[0])
    }

    private static func ramp(frames: Int) -> [Float] {
        (0..<frames).map { Float($0 % 30_000 - 15_000) / 32_768 }
    }

    @Test(
        "A WAV stream has an unknown length, and nothing after its samples",
        arguments: [SampleEncoding.u8, .s16, .s24, .s32, .f32, .f64])
    func wav(encoding: SampleEncoding) async throws {
        // An odd number, which would need a padding byte in a file.
        let frames = 20_001
        let (data, report) = try await stream(.wav, encoding, frames: frames)
        let sampleBytes = frames * encoding.bytesPerSample
        let header = data.prefix(data.count - sampleBytes)
        #expect(report.byteCount == data.count && header.count < 512)
        #expect(
            header[4..<8] == Data([255, 255, 255, 255]) && header.suffix(8) == Data("data".utf8) + [255, 255, 255, 255])
        #expect(header.range(of: Data("A stream".utf8)) != nil && header.range(of: Data("PEAK".utf8)) == nil)
        // As a file, for a reader that trusts the length.
        let file = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID()).wav")
        defer { try? FileManager.default.removeItem(at: file) }
        try data.write(to: file)
        let allowance: Float = encoding == .u8 ? 1.0 / 256 : 0
        let decoded = try DecodedFile(file)
        #expect(decoded.frames == frames)
        #expect(zip(decoded.samples, Self.ramp(frames: frames)).allSatisfy { abs($0 - $1) <= allowance })
    }

    @Test("Compressed streams are complete", arguments: [Container.flac, .vorbis, .opus])
    func compressed(container: Container) async throws {
        let frames = 20_001
        let (data, report) = try await stream(container, container.isLossy ? nil : .s16, frames: frames)
        #expect(report.byteCount == data.count)
        let file = FileManager.default.temporaryDirectory.appending(path: "accrec-\(UUID()).\(container)")
        defer { try? FileManager.default.removeItem(at: file) }
        try data.write(to: file)
        guard container == .flac else {
            #expect(try DecodedFile(file).frames == frames)
            return
        }
        // libsndfile reads FLAC only if it states its length.
        let result = try await ChildProcess.run(["ffmpeg", "-v", "error", "-i", file.path, "-f", "f32le", "-"])
        #expect(result.end == .exit(0) && result.standardError.isEmpty, "\(result.standardError)")
        #expect(Signal.float(result.standardOutput) == Self.ramp(frames: frames))
    }
}
