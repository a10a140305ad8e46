#if !DEBUG && !ACCREC_THREAD_SANITIZER
import Testing

@testable import ACCAudioRecorder

/// In plain release builds only: kernels of other builds say nothing.
@Suite(.serialized) struct LevelMeterSpeedTests {
    private let samples = (0..<4_096).map { Float(($0 * 7_919) % 1_999 - 999) / 1_000 }

    /// What anybody would write first.
    @inline(never)
    private func plainLoop(_ samples: [Float]) -> (peak: Float, sumOfSquares: Double, clipped: Int) {
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

    /// The shortest of many runs, which is the one that was disturbed least.
    private func fastest(_ body: () -> Void) -> Duration {
        (0..<2_000).map { _ in ContinuousClock().measure(body) }.min() ?? .zero
    }

    /// Ten times and more is what it gains; how much exactly is the processor's affair. Half of it would mean that
    /// the compiler no longer vectorises the kernel.
    @Test("R-13: many times as fast as a plain loop, in the same run")
    func isManyTimesAsFastAsAPlainLoop() {
        var meter = LevelMeter(channelCount: 1, clipThreshold: 1)
        var total = 0.0
        let plain = fastest { total += plainLoop(samples).sumOfSquares }
        let vectorised = withBlock(samples) { block in
            fastest {
                meter.measure(block)
                total -= meter.level(of: 0).sumOfSquares
                meter.reset()
            }
        }
        #expect(abs(total) < 1)
        print("Level of 4096 mono frames: plain loop \(plain), vectorised \(vectorised), \(plain / vectorised) times")
        #expect(plain / vectorised >= 5)
    }
}
#endif
