import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Writes each container as a recording does, and reads it with libsndfile.
@Suite(.timeLimit(.minutes(1)), .tags(.skipsThreadSanitizer))
struct ContainerTests {
    /// Writes two seconds of quiet noise, in blocks.
    ///
    /// - Returns: The samples, and the file.
    private func write(
        _ container: Container, encoding: SampleEncoding? = nil, compression: Compression? = nil, rate: Int = 48_000,
        channels: Int = 2, in directory: URL
    ) async throws -> (samples: [Float], url: URL) {
        let url = directory.appending(path: "\(UUID().uuidString).\(container.fileExtensions[0])")
        let output = try RecordingOutput(path: url.path, encoding: encoding, compression: compression)
        #expect(output.container == container)
        let form = StreamFormat(sampleRate: rate, channelMap: .standard(channelCount: UInt32(channels)))
        let writer = try OutputWriter(
            output, for: .made("microphone"), form: form, broadcast: RecordingBroadcast())
        var random = SplitMix64(seed: 6)
        // Multiples of 1/128, which 8 bits can represent.
        let samples = (0..<2 * rate * channels).map { _ in Float(Int(random.next() >> 60) - 8) / 128 }
        writer.begin(hostTime: MonotonicClock.now())
        for start in stride(from: 0, to: samples.count, by: 1_000 * channels) {
            let end = min(start + 1_000 * channels, samples.count)
            withBlock(Array(samples[start..<end]), channels: channels) { writer.write($0) }
        }
        let report = try #require(await writer.finish(serverProcessing: []).value.first)
        #expect(report.failure == nil && report.frameCount == 2 * rate, "\(container): \(String(describing: report))")
        let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int
        #expect(report.byteCount == size)
        return (samples, url)
    }

    @Test(arguments: Container.allCases.filter { !$0.isLossy && $0 != .raw })
    func aLosslessContainerKeepsEverySampleInEachOfItsEncodings(container: Container) async throws {
        #expect(container.isAvailable)
        try await TemporaryDirectory.with { directory in
            for encoding in container.encodings {
                for channels in [1, 2, 6] {
                    let (samples, url) = try await write(
                        container, encoding: encoding, rate: 8_000, channels: channels, in: directory)
                    let file = try DecodedFile(url)
                    #expect(file.sampleRate == 8_000 && file.channels == channels)
                    #expect(file.samples == samples, "\(container) \(encoding), \(channels) channels")
                }
            }
        }
    }

    @Test(arguments: [Container.vorbis, .opus, .mp3])
    func aLossyContainerKeepsTheLength(container: Container) async throws {
        #expect(container.isAvailable)
        try await TemporaryDirectory.with { directory in
            for rate in container.traits.sampleRates ?? [8_000, 44_100, 200_000] {
                let (samples, url) = try await write(container, rate: rate, in: directory)
                let file = try DecodedFile(url)
                #expect(file.sampleRate == rate && file.channels == 2)
                #expect(file.frames == samples.count / 2, "\(container) at \(rate) Hz")
                #expect(file.samples.contains { $0 != 0 })
            }
        }
    }

    @Test(arguments: [Container.flac, .vorbis, .opus, .mp3])
    func aHigherLevelMakesASmallerFile(container: Container) async throws {
        try await TemporaryDirectory.with { directory in
            var last = Int.max
            for level in [0, 8] {
                let (_, url) = try await write(container, compression: .level(level), in: directory)
                let size = try Data(contentsOf: url).count
                #expect(size < last, "\(container)")
                last = size
            }
        }
    }

    @Test func aBitRateIsObtained() async throws {
        try await TemporaryDirectory.with { directory in
            for (rate, bitRate) in [(44_100, 32), (44_100, 128), (48_000, 320), (16_000, 24), (8_000, 64)] {
                let (_, url) = try await write(.mp3, compression: .bitRate(bitRate), rate: rate, in: directory)
                let file = [UInt8](try Data(contentsOf: url))
                #expect(Self.bitRates(ofMP3: file) == [bitRate], "\(rate) Hz")
            }
            for bitRate in [24, 64, 256] {
                let (_, url) = try await write(.opus, compression: .bitRate(bitRate), in: directory)
                // The bit rate is a target, and excludes Ogg's overhead.
                let mean = Double(try Data(contentsOf: url).count) * 8 / 2_000
                #expect((0.8...1.25).contains(mean / Double(bitRate)), "\(mean) kbit/s for \(bitRate)")
            }
        }
    }

    /// The bit rates of an MP3 file's frames (ISO/IEC 11172-3 and 13818-3).
    private static func bitRates(ofMP3 file: [UInt8]) -> Set<Int> {
        let first = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        let second = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        var position = 0
        if file.starts(with: Array("ID3".utf8)) {
            position = 10 + file[6..<10].reduce(0) { $0 << 7 | Int($1) }
        }
        var found: Set<Int> = []
        while position + 4 <= file.count, file[position] == 0xFF, file[position + 1] & 0xE0 == 0xE0 {
            let version = Int(file[position + 1] >> 3 & 3)
            let rate = (version == 3 ? first : second)[Int(file[position + 2] >> 4)]
            let base = [44_100, 48_000, 32_000][Int(file[position + 2] >> 2 & 3)]
            let samplingRate = base >> (version == 3 ? 0 : version == 2 ? 1 : 2)
            let padding = Int(file[position + 2] >> 1 & 1)
            found.insert(rate)
            position += (version == 3 ? 144 : 72) * rate * 1_000 / samplingRate + padding
        }
        return found
    }
}
