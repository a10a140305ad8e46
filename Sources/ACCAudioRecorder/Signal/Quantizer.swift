/// Turns floating-point samples into integers of a word length, left-justified in 32 bits.
///
/// Rounds to nearest, ties to even; values beyond full scale are clipped, never wrapped; what is no
/// number becomes silence.
enum Quantizer {
    /// 1.5 · 2^52: added to a Double of less than 2^51 it leaves the rounded integer in the low bits.
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

    /// The same with dither: noise is added before the rounding.
    static func quantize(
        _ samples: UnsafeBufferPointer<Float>, bits: Int, dither: inout Dither,
        into words: UnsafeMutableBufferPointer<Int32>
    ) {
        let scale = Double(sign: .plus, exponent: bits - 1, significand: 1)
        for index in 0..<samples.count {
            let value = Double(samples[index]) * scale + dither.next()
            words[index] = word(value, scale: scale, shift: Int32(32 - bits))
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
