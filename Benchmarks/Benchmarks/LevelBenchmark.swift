import SyntheticRecordings

@testable import ACCAudioRecorder

/// The level kernel beside what anybody would write first, and beside what merely reading the samples takes: in the first
/// level of the cache and in memory.
enum LevelBenchmark {
    static func run(turns: Int) throws -> [Figure] {
        try figures(4_096, "level of 4,096 mono frames, in the cache", turns: turns)
            + figures(32 << 20, "level of 33,554,432 mono frames, in memory", turns: turns)
    }

    private static func figures(_ count: Int, _ name: String, turns: Int) throws -> [Figure] {
        let samples = Noise.floats(count)
        return try samples.withUnsafeBufferPointer { samples in
            let block = AudioBlock(samples: samples, channelCount: 1)
            let kernel = Kernel()
            var contest = Contest(name, turns: turns)
            contest.add("level kernel") { kernel.measure(block) }
            contest.add("plain loop") { kernel.sink += plainLoop(samples).sumOfSquares }
            contest.add("reading alone") { kernel.bits |= bits(of: samples) }
            let figures = try contest.run(unit: "µs", nanoseconds: 1_000)
            precondition(kernel.sink != 0 && kernel.bits != 0)
            return figures
        }
    }

    private final class Kernel {
        private var meter = LevelMeter(channelCount: 1, clipThreshold: 1)
        var sink = 0.0
        var bits: UInt32 = 0

        func measure(_ block: AudioBlock) {
            meter.measure(block)
            sink += meter.level(of: 0).sumOfSquares
            meter.reset()
        }
    }

    @inline(never)
    private static func plainLoop(
        _ samples: UnsafeBufferPointer<Float>
    ) -> (peak: Float, sumOfSquares: Double, clipped: Int) {
        var peak: Float = 0
        var sum = 0.0
        var clipped = 0
        for sample in samples {
            peak = max(peak, abs(sample))
            sum += Double(sample) * Double(sample)
            if abs(sample) >= 1 { clipped += 1 }
        }
        return (peak, sum, clipped)
    }

    /// Reads every sample, and does the least that can be done with it.
    @inline(never)
    private static func bits(of samples: UnsafeBufferPointer<Float>) -> UInt32 {
        let bytes = UnsafeRawBufferPointer(samples)
        var bits0 = SIMD8<UInt32>.zero, bits1 = bits0, bits2 = bits0, bits3 = bits0
        for offset in stride(from: 0, to: bytes.count, by: 128) {
            bits0 |= bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt32>.self)
            bits1 |= bytes.loadUnaligned(fromByteOffset: offset + 32, as: SIMD8<UInt32>.self)
            bits2 |= bytes.loadUnaligned(fromByteOffset: offset + 64, as: SIMD8<UInt32>.self)
            bits3 |= bytes.loadUnaligned(fromByteOffset: offset + 96, as: SIMD8<UInt32>.self)
        }
        return (bits0 | bits1 | bits2 | bits3).wrappedSum()
    }
}
