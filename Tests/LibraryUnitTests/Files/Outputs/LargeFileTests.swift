import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// A WAV file that grows beyond 4 GiB, written as a recording does, but faster than real time.
// 4 GiB take minutes under a sanitiser.
@Suite(.serialized, .timeLimit(.minutes(5)), .tags(.lengthy, .skipsThreadSanitizer, .skipsAddressSanitizer))
struct LargeFileTests {
    private static let form = StreamFormat(sampleRate: 384_000, channelMap: .standard(channelCount: 32))
    private static let blockFrames = 8_192
    /// Eight bytes per sample.
    private static let blockCount = (1 << 32) / (blockFrames * 32 * 8) + 40

    /// Uses memory if there is room for it, because disks are slow.
    private static func withDirectory(_ body: (URL) async throws -> Void) async throws {
        let memory = URL(filePath: "/dev/shm")
        let room = try? memory.resourceValues(forKeys: [.volumeAvailableCapacityKey]).volumeAvailableCapacity
        let parent = (room ?? 0) > 6 << 30 ? memory : FileManager.default.temporaryDirectory
        let directory = parent.appending(path: "accrec-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory)
    }

    /// The block's number and the channel's are in each of its frames.
    private static func block(_ number: Int) -> [Float] {
        (0..<blockFrames).flatMap { frame in
            (0..<32).map { Float(number * 64 + frame % 2 * 32 + $0) / 262_144 }
        }
    }

    private func write(to url: URL, whileWriting: (URL) throws -> Void) async throws -> OutputReport {
        let output = try RecordingOutput(path: url.path, encoding: .f64)
        let writer = try OutputWriter(
            output, for: .made("microphone"), form: Self.form, broadcast: RecordingBroadcast())
        writer.begin(hostTime: MonotonicClock.now())
        let rest = Self.block(0)
        for number in 0..<Self.blockCount {
            // Only the last blocks differ, because only those are checked.
            let samples = number < Self.blockCount - 4 ? rest : Self.block(number)
            withBlock(samples, channels: 32) { writer.write($0) }
            if number % 64 == 0 { try await drain(writer) }
        }
        try await drain(writer)
        let frameCount = Self.blockCount * Self.blockFrames
        for frame in [7, frameCount - 3] { writer.mark("at \(frame)", at: frame) }
        try whileWriting(url)
        return try #require(await writer.finish(serverProcessing: []).value.first)
    }

    /// Waits until everything accepted so far is written.
    private func drain(_ writer: OutputWriter) async throws {
        writer.flush()
        try await writer.waitUntilWritten()
    }

    @Test("A WAV file of more than 4 GiB is RF64, valid at every moment, and readable by libsndfile, SoX and ffmpeg")
    func becomesRF64() async throws {
        let frameCount = Self.blockCount * Self.blockFrames
        let rate = Self.form.sampleRate
        try await Self.withDirectory { directory in
            let url = directory.appending(path: "take.wav")
            let report = try await write(to: url) { url in
                // If the program were killed now, at most half a second would be missing.
                let last = try DecodedFile(url, from: frameCount - rate)
                #expect(last.frames > rate / 2)
            }
            #expect(report.failure == nil && report.gaps.isEmpty && report.frameCount == frameCount)
            #expect(report.byteCount > 1 << 32)

            let file = try FileHandle(forReadingFrom: url)
            #expect(try file.read(upToCount: 4) == Data("RF64".utf8))
            let last = (Self.blockCount - 4..<Self.blockCount).flatMap(Self.block)
            #expect(try DecodedFile(url, from: frameCount - 4 * Self.blockFrames).samples == last)
            let markers = [7, frameCount - 3].map { WAVMarker(frame: $0, label: "at \($0)") }
            #expect(try WAVMarker.all(in: url) == markers)

            // Two samples of the last frame as read by other programs, in 32-bit floating point.
            let expected = last.suffix(32)
            #expect(try await ChildProcess.run(["soxi", "-s", url.path]).text == "\(frameCount)\n")
            let position = "=\(frameCount - 1)s"
            let sox = ["sox", url.path, "-t", "f32", directory.appending(path: "sox.raw").path, "trim", position]
            #expect(try await ChildProcess.run(sox).end == .exit(0))
            #expect(try floats(in: directory.appending(path: "sox.raw")).elementsEqual(expected))
            let start = "\(Double(frameCount - rate / 10) / Double(rate))"
            let ffmpeg =
                ["ffmpeg", "-v", "error", "-ss", start, "-i", url.path, "-f", "f32le"]
                + [directory.appending(path: "ffmpeg.raw").path]
            #expect(try await ChildProcess.run(ffmpeg).end == .exit(0))
            #expect(try floats(in: directory.appending(path: "ffmpeg.raw")).suffix(32) == expected)
        }
    }

    private func floats(in url: URL) throws -> [Float] {
        try Data(contentsOf: url).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
}
