import Glibc

/// Levels in decibels relative to full scale.
enum Decibels {
    /// What is said of anything quieter, silence included.
    static let floor: Float = -120

    /// What is said of anything louder than a 32-bit float can be, infinity included.
    static let ceiling: Float = 771

    /// 20 · log10 of the amplitude, always a finite number: not below the floor, not above the ceiling, and the
    /// floor for what is no number.
    static func fromAmplitude(_ amplitude: Double) -> Float {
        guard amplitude > 0 else { return floor }
        return min(max(Float(20 * log10(amplitude)), floor), ceiling)
    }
}
