import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// What a killed program leaves behind: the state of files during a recording, at random moments.
///
/// Data written to a file belongs to the kernel and survives the program, so a copy shows what would be left.
// Copies a growing file after each write, which takes minutes under a sanitiser.
@Suite(.timeLimit(.minutes(1)), .tags(.lengthy, .skipsThreadSanitizer, .skipsAddressSanitizer))
struct KilledFileTests {
    private static let containers: [(container: Container, rate: Int)] = [
        (.wav, 44_100), (.rf64, 44_100), (.w64, 44_100), (.aiff, 44_100), (.caf, 44_100), (.flac, 44_100),
        (.flac, 8_000), (.vorbis, 44_100), (.opus, 48_000), (.opus, 8_000), (.mp3, 44_100), (.mp3, 8_000),
    ]

    @Test("The remaining file can be opened, and lacks at most a second", arguments: containers)
    func lacksASecondAtMost(container: Container, rate: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let url = directory.appending(path: "take.\(container.fileExtensions[0])")
            let labels = url.appendingPathExtension("labels.txt")
            let form = StreamFormat(sampleRate: rate, channelMap: .standard(channelCount: 1))
            let writer = try OutputWriter(
                try RecordingOutput(path: url.path, container: container), for: .made("microphone"), form: form,
                broadcast: RecordingBroadcast())
            writer.begin(hostTime: MonotonicClock.now())
            var random = SplitMix64(seed: 50)
            var frameCount = 0
            for moment in 1...3 {
                let more = rate / 2 + Int(random.next() % UInt64(rate))
                for _ in 0..<more / 80 {
                    withBlock((0..<80).map { _ in Float(random.next() >> 48) / 131_072 }) { writer.write($0) }
                }
                frameCount += more / 80 * 80
                writer.mark("m", at: frameCount)
                writer.flush()
                try await writer.waitUntilWritten()
                try await eventually("the marker") {
                    (try? String(contentsOf: labels, encoding: .utf8))?.split(separator: "\n").count == moment + 1
                }
                // The engine and a fragment of the capture account for the rest of the second.
                let held = 1 - writer.batchLength - 0.08
                let least = frameCount - Int(held * Double(rate))
                try await check(url, holds: least, in: directory.appending(path: "left \(moment).\(url.pathExtension)"))
            }
            _ = await writer.discard().value
        }
    }

    private func check(_ url: URL, holds least: Int, in left: URL) async throws {
        try FileManager.default.copyItem(at: url, to: left)
        #expect(try DecodedFile(left).frames >= least, "libsndfile")
        let isForSoX = url.pathExtension != "opus"
        if isForSoX {
            let sox = try await ChildProcess.run(["sox", left.path, "-t", "s16", "-"])
            #expect(sox.end == .exit(0) && sox.standardOutput.count / 2 >= least, "SoX: \(sox.standardError)")
        }
        let rate = try "\(DecodedFile(left).sampleRate)"
        let ffmpeg = try await ChildProcess.run(
            ["ffmpeg", "-v", "fatal", "-i", left.path, "-f", "s16le", "-ar", rate, "-"])
        #expect(ffmpeg.end == .exit(0) && ffmpeg.standardOutput.count / 2 >= least, "ffmpeg: \(ffmpeg.standardError)")
        if url.pathExtension == "flac" {
            let header = [UInt8](try Data(contentsOf: left).prefix(26))
            let total = header[21...].reduce(0) { $0 << 8 | Int($1) } & 0xF_FFFF_FFFF
            #expect(total >= least && total == ffmpeg.standardOutput.count / 2, "FLAC tells its length")
        }
        guard url.pathExtension == "wav" else { return }
        let python = try await ChildProcess.run(
            ["python3", "-c", "import sys, wave; print(wave.open(sys.argv[1]).getnframes())", left.path])
        #expect(Int(python.text.dropLast()) ?? 0 >= least, "Python: \(python.standardError)")
    }
}
