import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Headers that correct what libsndfile writes.
@Suite(.timeLimit(.minutes(1)), .tags(.skipsThreadSanitizer))
struct FileHeaderTests {
    private func write(
        _ output: RecordingOutput, frames: Int, channels: Int = 1, description: String = "Microphone"
    ) async throws -> OutputReport {
        let writer = try OutputWriter(
            output, for: .made("microphone", description: description),
            form: StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: UInt32(channels))),
            broadcast: RecordingBroadcast())
        writer.begin(hostTime: MonotonicClock.now())
        withBlock([Float](repeating: 0.25, count: frames * channels), channels: channels) { writer.write($0) }
        return try #require(await writer.finish(serverProcessing: []).value.first)
    }

    @Test("AIFF with an odd number of bytes has correct sizes", arguments: [SampleEncoding.u8, .s24], [4_800, 4_801])
    func oddAIFF(encoding: SampleEncoding, frames: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let url = directory.appending(path: "take.aiff")
            let report = try await write(try RecordingOutput(path: url.path, encoding: encoding), frames: frames)
            let file = [UInt8](try Data(contentsOf: url))
            func number(_ offset: Int) -> Int { file[offset..<(offset + 4)].reduce(0) { $0 << 8 | Int($1) } }
            func content(_ name: String) throws -> Int {
                try #require(file.indices.first { file[$0...].starts(with: Array(name.utf8)) }) + 8
            }
            let byteCount = frames * encoding.bytesPerSample
            #expect(report.failure == nil && report.frameCount == frames && report.byteCount == file.count)
            #expect(number(4) == file.count - 8 && file.count % 2 == 0)
            #expect(number(try content("COMM") + 2) == frames)
            #expect(number(try content("SSND") - 4) == byteCount + 8)
            #expect(try DecodedFile(url).frames == frames)
            let ffmpeg = try await ChildProcess.run(["ffmpeg", "-v", "warning", "-i", url.path, "-f", "null", "-"])
            #expect(ffmpeg.end == .exit(0) && !ffmpeg.standardError.contains("Invalid"), "\(ffmpeg.standardError)")
        }
    }

    @Test(
        "A bext chunk is ASCII, has no loudness of so short a file, and one line per processing step",
        arguments: [1, 6])
    func broadcastExtension(channels: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let url = directory.appending(path: "take.wav")
            var output = try RecordingOutput(path: url.path)
            output.isBroadcastWave = true
            let description = "Mikrofon für\r\nA=ANALOGUE, 日本" + String(repeating: "ö", count: 300)
            _ = try await write(output, frames: 4_800, channels: channels, description: description)
            let chunk = try #require(try BroadcastChunk(url))
            let file = try Data(contentsOf: url)
            let content = try #require(file.range(of: Data("bext".utf8))).upperBound + 4
            #expect(file[content + 346] == 2)
            // The true peak, between them, is known at once.
            for fields in [412..<416, 418..<422] {
                #expect(
                    Array(file[(content + fields.lowerBound)..<(content + fields.upperBound)]) == [
                        0xFF, 0x7F, 0xFF, 0x7F,
                    ])
            }
            #expect(chunk.description.hasPrefix("Mikrofon f?r A=ANALOGUE, ???") && chunk.description.count == 256)
            let lines = chunk.codingHistory.components(separatedBy: "\r\n")
            #expect(lines.count == 3 && lines[2].allSatisfy { $0 == "\0" }, "\(lines)")
            #expect(
                lines[0].hasPrefix("A=PCM,F=48000,W=16,M=stereo,T=\(ProcessInfo.processInfo.processName)")
                    && lines[0].contains("Mikrofon f?r A=ANALOGUE"))
            #expect(lines[0].split(separator: ",").count == 5)
            #expect(lines[1].hasPrefix(channels == 1 ? "A=PCM,F=48000,W=16,M=mono,T=lib" : "A=PCM,F=48000,W=16,T=lib"))
            #expect(chunk.codingHistory.utf8.allSatisfy { $0 < 0x80 })
            #expect(try DecodedFile(url).frames == 4_800)
        }
    }

    @Test("Tags of the maximum length are in the file, and longer ones are rejected", arguments: Container.allCases)
    func longTags(container: Container) async throws {
        try await TemporaryDirectory.with { directory in
            let url = directory.appending(path: "take.\(container.rawValue)")
            var output = RecordingOutput(.file(path: url.path), container: container)
            guard container.tags.contains(.title) else { return }
            let longest = min(container.traits.largestTags, 200_000)
            output.tags = [.title: String(repeating: "t", count: longest / 4), .artist: "a"]
            output.tags[.comment] = String(repeating: "c", count: longest - longest / 4 - 1)
            let report = try await write(output, frames: 4_800)
            #expect(report.failure == nil)
            // libsndfile reads less of WAV and MP3 than it writes, and ffmpeg less of CAF.
            let strings: [String]
            if container == .caf {
                strings = Array(try DecodedFile(url).strings.values)
            } else {
                let entries = ["-show_entries", "format_tags:stream_tags", "-of", "default=nokey=1:noprint_wrappers=1"]
                let probe = try await ChildProcess.run(["ffprobe", "-v", "error"] + entries + [url.path])
                strings = probe.text.components(separatedBy: "\n")
            }
            for (tag, text) in output.tags { #expect(strings.contains { $0.hasPrefix(text) }, "\(tag)") }
            #expect(try DecodedFile(url).frames > 4_000)
            output.tags[.comment] = String(repeating: "c", count: container.traits.largestTags)
            #expect(throws: ACCAudioRecorderError.self) { try output.validate() }
        }
    }

    @Test("Each output has a list of markers of its own, by its whole name")
    func markerFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let outputs = try ["take.wav", "take.caf", "other.wav"].map {
                try RecordingOutput(path: directory.appending(path: $0).path)
            }
            for output in outputs {
                let writer = try OutputWriter(
                    output, for: .made("microphone"),
                    form: StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1)),
                    broadcast: RecordingBroadcast())
                writer.begin(hostTime: MonotonicClock.now())
                withBlock([Float](repeating: 0.25, count: 4_800)) { writer.write($0) }
                writer.mark("m", at: 100)
                #expect(await writer.finish(serverProcessing: []).value.first?.failure == nil)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
                $0.hasSuffix(".txt")
            }
            #expect(names.sorted() == ["other.wav.labels.txt", "take.caf.labels.txt", "take.wav.labels.txt"])
        }
    }
}
