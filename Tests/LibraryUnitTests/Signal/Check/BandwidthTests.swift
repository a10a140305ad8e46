import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Noise that was converted between rates, and where it is found to end.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct BandwidthTests {
    private static let noise = Signal.noise(seed: 3, samples: 6 * 48_000).map { Float($0) / 65_536 }

    private static func converted(_ samples: [Float], from: Int, to: Int, _ quality: ResamplerQuality) throws -> [Float]
    {
        var resampler = try Resampler(from: from, to: to, channelCount: 1, quality: quality, blockFrames: 512)
        var output: [Float] = []
        for start in stride(from: 0, to: samples.count, by: 512) {
            try withBlock(Array(samples[start..<min(start + 512, samples.count)]), channels: 1) { block in
                resampler.append(block)
                while let block = try resampler.next() { output += block.copy }
            }
        }
        return output
    }

    private static func wall(of samples: [Float], rate: Int) -> Double? {
        var check = SignalCheck(sampleRate: Double(rate), channelMap: .standard(channelCount: 1), integerBits: nil)
        samples.withUnsafeBufferPointer { check.add($0, at: 0) }
        _ = check.finish()
        return check.takeFindings().first { $0.kind == .narrowBand }?.value
    }

    @Test(
        "A recording that this program has converted is no telephone's", arguments: ResamplerQuality.allCases,
        [16_000, 22_050, 24_000, 44_100])
    func ownConversion(quality: ResamplerQuality, rate: Int) throws {
        #expect(Self.wall(of: try Self.converted(Self.noise, from: 48_000, to: rate, quality), rate: rate) == nil)
    }

    @Test("A source of 8 kHz is found at each rate", arguments: [16_000, 24_000, 44_100, 48_000])
    func telephone(rate: Int) throws {
        let narrow = try Self.converted(Self.noise, from: 48_000, to: 8_000, .medium)
        let wall = try #require(Self.wall(of: try Self.converted(narrow, from: 8_000, to: rate, .medium), rate: rate))
        #expect((3_000...4_500).contains(wall))
    }
}
