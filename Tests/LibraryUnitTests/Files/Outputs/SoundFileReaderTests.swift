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

    @Test(
        "All cue points are read with their labels, however many there are, of each kind of WAV file",
        arguments: [("RIFF", .little, 12_000), ("RF64", .little, 150), ("RIFX", .big, 150)]
            as [(String, ByteOrder, Int)])
    func cuePoints(form: String, order: ByteOrder, count: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "a.wav")
            try Data(MadeCues(order: order).file(form, count: count)).write(to: file)
            let cues = try SoundFileReader(path: file.path).cuePoints
            let isRead =
                cues.map(\.frame) == Array(0..<count) && cues.map(\.label) == (0..<count).map { "marker \($0)" }
            #expect(isRead, "\(cues.count), \(cues.suffix(1))")
        }
    }

    @Test("Cue points that are cut off or have no label neither trap nor hide the others")
    func damagedCuePoints() throws {
        let made = MadeCues(order: .little)
        let (places, labels) = (made.places(3), made.labels(3))
        for length in 0..<places.count { #expect(WAVCues(places: Array(places.prefix(length)), labels: labels) == nil) }
        for length in 0...labels.count {
            let cues = try #require(WAVCues(places: places, labels: Array(labels.prefix(length)))).cues
            #expect(cues.map(\.frame) == [0, 1, 2] && "marker 0".hasPrefix(cues[0].label))
        }
        let endless = Array("adtllabl".utf8) + [UInt8](repeating: 0xFF, count: 40)
        #expect(WAVCues(places: places, labels: endless)?.cues.map(\.label) == ["", "", ""])
        #expect(WAVCues(places: [0, 0, 0, 0], labels: [])?.cues.isEmpty == true)
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

/// A WAV file of some samples with a cue point in front of each, as another program writes it.
private struct MadeCues {
    let order: ByteOrder

    func places(_ count: Int) -> [UInt8] {
        (0..<count).reduce(into: number(count)) { bytes, frame in
            bytes += number(frame + 1) + number(frame)
            bytes += Array("data".utf8) + number(0)
            bytes += number(0) + number(frame)
        }
    }

    func labels(_ count: Int) -> [UInt8] {
        (0..<count).reduce(into: Array("adtl".utf8)) { bytes, frame in
            bytes += chunk("labl", number(frame + 1) + Array("marker \(frame)\0".utf8))
        }
    }

    /// - Parameter form: `RIFF`, `RF64`, or `RIFX`, whose numbers are big-endian.
    func file(_ form: String, count: Int) -> [UInt8] {
        let fields: [(value: Int, length: Int)] = [(1, 2), (1, 2), (48_000, 4), (96_000, 4), (2, 2), (16, 2)]
        let format: [UInt8] = fields.flatMap { number($0.value, length: $0.length) }
        let samples = [UInt8](repeating: 0, count: 2 * count)
        let information = chunk("LIST", Array("INFO".utf8) + chunk("INAM", Array("title\0".utf8)))
        var rest = chunk("fmt ", format) + chunk("data", samples) + information
        rest += chunk("cue ", places(count)) + chunk("LIST", labels(count))
        let isLarge = form == "RF64"
        let sizes = [rest.count + 40, samples.count, count].flatMap { number($0, length: 8) }
        let header = isLarge ? chunk("ds64", sizes + number(0)) : []
        let content = Array("WAVE".utf8) + header + rest
        return Array(form.utf8) + number(isLarge ? Int(UInt32.max) : content.count) + content
    }

    private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let padding: [UInt8] = content.count % 2 == 0 ? [] : [0]
        return Array(name.utf8) + number(content.count) + content + padding
    }

    private func number(_ number: Int, length: Int = 4) -> [UInt8] { order.bytes(UInt64(number), count: length) }
}
