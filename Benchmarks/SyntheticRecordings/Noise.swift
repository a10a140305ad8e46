/// Samples that are the same each time and that no codec can foresee.
public enum Noise {
    /// White noise, uniformly distributed over ±`peak` of full scale.
    public static func floats(_ count: Int, peak: Float = 0.5) -> [Float] {
        var state: UInt64 = 1
        return (0..<count).map { _ in
            // Knuth's linear congruential generator (MMIX), of which the upper bits are good.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return peak * (Float(state >> 40) * 0x1p-23 - 1)
        }
    }

    /// The same as 16-bit samples.
    public static func int16(_ count: Int, peak: Float = 0.5) -> [Int16] {
        floats(count, peak: peak).map { Int16($0 * 32_767) }
    }
}
