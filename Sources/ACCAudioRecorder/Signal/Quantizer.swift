/// Converts floating-point samples to integers of a given word length, left-justified in 32 bits.
///
/// Rounds to nearest, ties to even. Values beyond full scale are clipped, never wrapped; NaN becomes silence.
enum Quantizer {
    /// 1.5 · 2^52: adding it to a Double below 2^51 leaves the rounded integer in the low bits.
    private static let roundingConstant = 6_755_399_441_055_744.0

    /// - Parameter bits: The word length, 8 to 32.
    static func quantize(
        _ samples: UnsafeBufferPointer<Float>, bits: Int, into words: UnsafeMutableBufferPointer<Int32>
    ) {
        let scale = Double(sign: .plus, exponent: bits - 1, significand: 1)
        for index in 0..<samples.count {
            words[index] = word(Double(samples[index]) * scale, scale: scale, shift: Int32(32 - bits))
        }
    }

    /// Quantizes whole frames with dither: noise is added before rounding, except in digital silence.
    static func quantize(
        _ samples: UnsafeBufferPointer<Float>, bits: Int, dither: inout Dither, silence: inout DigitalSilence,
        into words: UnsafeMutableBufferPointer<Int32>
    ) {
        let scale = Double(sign: .plus, exponent: bits - 1, significand: 1)
        for start in stride(from: 0, to: samples.count, by: silence.channelCount) {
            for channel in 0..<silence.channelCount {
                let sample = samples[start + channel]
                // Also where it is not added, so that the noise of each sample is the same whatever comes before it.
                let noise = dither.next()
                let value = Double(sample) * scale + (silence.continues(with: sample, on: channel) ? 0 : noise)
                words[start + channel] = word(value, scale: scale, shift: Int32(32 - bits))
            }
        }
    }

    @inline(__always)
    private static func word(_ steps: Double, scale: Double, shift: Int32) -> Int32 {
        let highest = scale - 1
        var value = steps == steps ? steps : 0
        value = value < -scale ? -scale : value
        value = value > highest ? highest : value
        return Int32(truncatingIfNeeded: (value + roundingConstant).bitPattern) << shift
    }
}

extension Quantizer {
    /// Tells digital silence from a signal, for each channel: a channel is silent at the beginning, and again after 1024 samples
    /// of exactly zero. A single zero, as each wave passes, is a part of the signal: without dither there, the noise would change
    /// with the signal.
    struct DigitalSilence {
        private static let leastSamples = 1_024

        /// The samples of exactly zero that each channel ends with, as far as they count.
        private var zeroCounts: [Int]

        init(channelCount: Int) {
            zeroCounts = Array(repeating: Self.leastSamples, count: channelCount)
        }

        var channelCount: Int { zeroCounts.count }

        /// Takes the next sample of a channel.
        ///
        /// - Returns: Whether it is silence.
        @inline(__always)
        mutating func continues(with sample: Float, on channel: Int) -> Bool {
            let count = zeroCounts[channel]
            guard sample == 0 else {
                if count > 0 { zeroCounts[channel] = 0 }
                return false
            }
            if count < Self.leastSamples { zeroCounts[channel] = count + 1 }
            return count == Self.leastSamples
        }
    }

    /// Noise with a triangular distribution over ±1 LSB, which decorrelates the rounding error from the signal (Lipshitz,
    /// Wannamaker and Vanderkooy, "Quantization and dither", 1992).
    ///
    /// Uses one random number per sample, so that the noise does not depend on how frames are split into blocks. The
    /// generator is SplitMix64 (Steele, Lea and Flood, 2014), always with the same seed: a conversion can be repeated bit
    /// for bit.
    struct Dither {
        private var state: UInt64 = 0

        /// The noise for the next sample, in LSB: above -1 and below 1.
        @inline(__always)
        mutating func next() -> Double {
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            bits ^= bits >> 31
            // The difference of two uniformly distributed 32-bit numbers.
            return (Double(UInt32(truncatingIfNeeded: bits)) - Double(UInt32(truncatingIfNeeded: bits >> 32))) * 0x1p-32
        }
    }
}
