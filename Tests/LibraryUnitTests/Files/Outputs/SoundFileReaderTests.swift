import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct SoundFileReaderTests {
    private static let frameCount = 1_000

    /// Writes 48 kHz stereo samples that count up.
    private func write(_ file: URL) throws -> [Int16] {
        let samples = Signal.counter(frames: Self.frameCount, channels: 2)
        try PCMFile(rate: 48_000, channels: 2, samples).write(wav: file)
        return samples
    }

    @Test func readsAllFramesPieceByPiece() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.appending(path: "a.wav")
            let samples = try write(path)
            var file = try SoundFileReader(path: path.path)
            let (frameCount, sampleRate, channelCount) = (file.frameCount, file.sampleRate, file.channelCount)
            #expect(frameCount == Self.frameCount)
            #expect(sampleRate == 48_000)
            #expect(channelCount == 2)
            var read: [Float] = []
            var piece = [Float](repeating: 0, count: 2 * 300)
            while true {
                let count = piece.withUnsafeMutableBufferPointer { file.read(into: $0) }
                guard count > 0 else { break }
                read += piece.prefix(2 * count)
            }
            // Outside the expectation, whose failure would print all of them.
            let isSame = read == samples.map { Float($0) / 32_768 }
            #expect(isSame)
        }
    }

    @Test func lastFrameOfATruncatedFileIsMissing() async throws {
        try await TemporaryDirectory.with { directory in
            let wav = directory.appending(path: "a.wav")
            // Noise, because it does not get shorter in FLAC.
            try PCMFile(rate: 48_000, channels: 2, Signal.noise(seed: 1, samples: 48_000)).write(wav: wav)
            let flac = directory.appending(path: "a.flac")
            let made = try await ChildProcess.run(["flac", "-s", "-o", flac.path, wav.path])
            #expect(made.end == .exit(0), "\(made.standardError)")
            #expect(try canReadLastFrame(of: flac))
            let content = try Data(contentsOf: flac)
            try content.dropLast(content.count / 3).write(to: flac)
            #expect(try !canReadLastFrame(of: flac))
        }
    }

    /// For a file whose header states 24,000 frames.
    private func canReadLastFrame(of file: URL) throws -> Bool {
        var file = try SoundFileReader(path: file.path)
        let frameCount = file.frameCount
        #expect(frameCount == 24_000)
        return file.canReadLastFrame()
    }

    @Test("All links of a chained Ogg file are read, from any place, as far as their format stays")
    func chainedOgg() async throws {
        try await TemporaryDirectory.with { directory in
            let rates = [48_000, 44_100]
            var links: [[UInt8]] = []
            for rate in rates {
                let file = directory.appending(path: "\(rate).ogg")
                let sox = ["sox", "-n", "-r", "\(rate)", "-c", "1", file.path, "synth", "30000s", "sine", "440"]
                let made = try await ChildProcess.run(sox)
                try #require(made.end == .exit(0), "\(made.standardError)")
                links.append(Array(try Data(contentsOf: file)))
            }
            let chain = directory.appending(path: "chain.ogg")
            let single = try samples(of: directory.appending(path: "48000.ogg"))
            let count = single.count
            try Data(links[0] + MadeOgg.renumbered(links[0])).write(to: chain)
            var file = try SoundFileReader(path: chain.path)
            let (frameCount, omission) = (file.frameCount, file.omission)
            #expect(frameCount == 2 * count && omission == nil)
            let isRead = try samples(of: chain) == single + single
            #expect(isRead)
            for frame in [count + 100, 100, 2 * count - 1] {
                let isThere = file.seek(to: frame)
                var next: [Float] = [0]
                let read = next.withUnsafeMutableBufferPointer { file.read(into: $0) }
                #expect(isThere && read == 1 && next[0] == single[frame % count])
            }
            let canReadLastFrame = file.canReadLastFrame()
            #expect(canReadLastFrame)
            // The last link may have the number of the first one.
            try Data(links[0] + MadeOgg.renumbered(links[1]) + links[0]).write(to: chain)
            let other = try SoundFileReader(path: chain.path)
            let (otherCount, otherOmission) = (other.frameCount, other.omission)
            #expect(otherCount == 2 * count)
            #expect(otherOmission?.hasPrefix("it is a chain of 3 Ogg files, of which 1 is left out: ") == true)
        }
    }

    /// All samples of a file with one channel.
    private func samples(of path: URL) throws -> [Float] {
        var file = try SoundFileReader(path: path.path)
        var (samples, piece) = ([Float](), [Float](repeating: 0, count: 4_096))
        while case let count = piece.withUnsafeMutableBufferPointer({ file.read(into: $0) }), count > 0 {
            samples += piece.prefix(count)
        }
        return samples
    }

    @Test("A pipe is refused rather than waited for", .timeLimit(.minutes(1)))
    func pipe() async throws {
        try await TemporaryDirectory.with { directory in
            let pipe = directory.appending(path: "pipe.wav")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            let failure = #expect(throws: SoundFileFailure.self) { try frameCount(of: pipe) }
            #expect(failure?.description == "it is not a file")
        }
    }

    @Test func otherFilesAreRejected() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "a.wav")
            #expect(throws: SoundFileFailure.self) { try frameCount(of: file) }
            try Data("no audio".utf8).write(to: file)
            #expect(throws: SoundFileFailure.self) { try frameCount(of: file) }
        }
    }

    private func frameCount(of file: URL) throws -> Int {
        let file = try SoundFileReader(path: file.path)
        return file.frameCount
    }
}
