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

    @Test func otherFilesAreRejected() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "a.wav")
            #expect(throws: SoundFileReader.Failure.self) { try frameCount(of: file) }
            try Data("no audio".utf8).write(to: file)
            #expect(throws: SoundFileReader.Failure.self) { try frameCount(of: file) }
        }
    }

    private func frameCount(of file: URL) throws -> Int {
        let file = try SoundFileReader(path: file.path)
        return file.frameCount
    }
}
