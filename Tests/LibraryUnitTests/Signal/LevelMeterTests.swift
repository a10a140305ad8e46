import Glibc
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct LevelMeterTests {
    private func levels(_ samples: [Float], channels: Int, clipThreshold: Float = 1) -> [ChannelLevel] {
        var meter = LevelMeter(channelCount: channels, clipThreshold: clipThreshold)
        withBlock(samples, channels: channels) { meter.measure($0) }
        return (0..<channels).map { meter.level(of: $0) }
    }

    // The meter has one thread.
    @Test(
        "R-05, R-13: agrees with a simple loop for any channel count and length", .tags(.skipsThreadSanitizer),
        arguments: 1...33)
    func agreesWithAPlainLoop(channels: Int) {
        for frames in [0, 1, 7, 8, 31, 4_096, 4_097] {
            let samples = (0..<frames * channels).map { sin(Float($0) * 0.37) * (1 + Float($0 % channels) / 40) }
            let measured = levels(samples, channels: channels)
            for channel in 0..<channels {
                let own = stride(from: channel, to: samples.count, by: channels).map { Double(samples[$0]) }
                let sum = own.reduce(0) { $0 + $1 * $1 }
                #expect(Double(measured[channel].peak) == own.map(abs).max() ?? 0)
                #expect(abs(measured[channel].sumOfSquares - sum) <= sum * 1e-5)
                #expect(measured[channel].clippedCount == own.count { abs($0) >= 1 })
                #expect(measured[channel].sampleCount == frames)
            }
        }
    }

    // Blocks of other lengths are in the test before, and single samples take the sanitisers half a minute.
    @Test(
        "Splitting the frames into blocks does not change levels by a single bit",
        .tags(.skipsThreadSanitizer, .skipsAddressSanitizer), arguments: [1, 2, 3, 6, 8, 32])
    func doesNotDependOnBlocks(channels: Int) {
        let samples = (0..<channels * 20_000).map { sin(Float($0) * 0.37) * 1.01 }
        let whole = levels(samples, channels: channels)
        for length in [1, 7, 480, 4_096, nil] {
            var meter = LevelMeter(channelCount: channels, clipThreshold: 1)
            var rest = samples[...]
            while !rest.isEmpty {
                let block = Array(rest.prefix(channels * (length ?? .random(in: 1...5_000))))
                withBlock(block, channels: channels) { meter.measure($0) }
                rest = rest.dropFirst(block.count)
            }
            #expect((0..<channels).map { meter.level(of: $0) } == whole)
        }
    }

    /// For each format the largest positive value of the coarsest converter that it carries, and the next smaller one.
    @Test("Clipping at the positive limit of any converter is counted", arguments: SampleFormat.allCases)
    func countsFullScaleOfEachConverter(format: SampleFormat) {
        let (highest, next): (Float, Float) =
            switch format {
            case .u8: (127 / 128, 126 / 128)
            case .aLaw: (32_256 / 32_768, 31_232 / 32_768)
            case .uLaw: (32_124 / 32_768, 31_100 / 32_768)
            default: (32_767 / 32_768, 32_766 / 32_768)
            }
        let level = levels([highest, -1, 0.5, next, -next], channels: 1, clipThreshold: format.clipThreshold)[0]
        #expect(level.clippedCount == 2)
    }

    @Test("A 24-bit converter in a 32-bit word clips at its own limits")
    func countsFullScaleOf24Bits() {
        let highest = Float(0x7FFF_FF00) / 0x1p31
        #expect(
            levels([highest, -1], channels: 1, clipThreshold: SampleFormat.s32LE.clipThreshold)[0].clippedCount == 2)
    }

    @Test("Levels stay finite whatever a float source delivers")
    func survivesWhatIsNoNumber() {
        for sample in [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .signalingNaN] {
            for count in [1, 64] {
                let level = levels([Float](repeating: sample, count: count), channels: 1)[0]
                #expect(level.rmsDecibels.isFinite)
                #expect(level.peakDecibels.isFinite)
            }
        }
    }

    @Test("R-05: -120 dB is the floor, a full-scale square wave is 0 dBFS, a full-scale sine -3.01")
    func speaksInDecibels() {
        #expect(levels([0, 0], channels: 1)[0].rmsDecibels == -120)
        #expect(ChannelLevel().rmsDecibels == -120)
        #expect(levels([1, -1], channels: 1)[0].rmsDecibels == 0)
        let sine = (0..<48_000).map { sin(Float($0 % 48) * 2 * .pi / 48) }
        #expect(abs(levels(sine, channels: 1)[0].rmsDecibels + 3.0103) < 0.001)
    }
}
