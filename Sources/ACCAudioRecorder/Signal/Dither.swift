/// Noise of triangular distribution over ±1 step of the word length, which makes the error of rounding
/// independent of the signal (Lipshitz, Wannamaker and Vanderkooy, "Quantization and dither", 1992).
///
/// One number of the generator a sample, so that the noise does not depend on how frames come in blocks. The
/// generator is SplitMix64 (Steele, Lea and Flood, 2014), always from the same seed: a conversion can be
/// repeated bit for bit.
struct Dither {
    private var state: UInt64 = 0

    /// The noise for the next sample, in steps: more than -1, less than 1.
    @inline(__always)
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        // The difference of two uniform numbers of 32 bits.
        return (Double(UInt32(truncatingIfNeeded: bits)) - Double(UInt32(truncatingIfNeeded: bits >> 32))) * 0x1p-32
    }
}
