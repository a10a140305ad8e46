import Glibc

/// The level of one channel over a number of frames.
///
/// In JSON a level is an object with `peak` and `rms` in dBFS, `clipped`, and the number of `samples`. Decoded levels are
/// those to the precision of a decibel's float.
public struct ChannelLevel: Sendable, Hashable {
    /// The highest magnitude; full scale is 1.
    public var peak: Float = 0
    /// The sum of the squared samples.
    var sumOfSquares: Double = 0
    /// Samples at full scale: the highest value of the source's integer format, or 1 in floating point.
    public var clippedCount = 0
    /// The number of samples measured.
    public var sampleCount = 0

    /// Creates the level of no samples.
    public init() {}

    /// Creates a level, for tests of code that receives levels.
    ///
    /// - Parameters:
    ///   - peak: The highest magnitude; full scale is 1.
    ///   - rms: The root mean square; full scale is 1.
    ///   - clippedCount: Samples at full scale.
    ///   - sampleCount: The number of samples measured, at least 1.
    public init(peak: Float, rms: Float, clippedCount: Int = 0, sampleCount: Int = 1) {
        self.peak = peak
        sumOfSquares = Double(rms) * Double(rms) * Double(sampleCount)
        self.clippedCount = clippedCount
        self.sampleCount = sampleCount
    }

    /// The highest magnitude in dBFS, at least -120.
    public var peakDecibels: Float { Decibels.fromAmplitude(Double(peak)) }

    /// The root mean square in dBFS, where a full-scale square wave is 0 dBFS and a full-scale sine -3.01; at least
    /// -120.
    public var rmsDecibels: Float {
        Decibels.fromAmplitude(sampleCount == 0 ? 0 : (sumOfSquares / Double(sampleCount)).squareRoot())
    }

    /// Adds the level of further frames.
    public mutating func add(_ other: ChannelLevel) {
        peak = max(peak, other.peak)
        sumOfSquares += other.sumOfSquares
        clippedCount += other.clippedCount
        sampleCount += other.sampleCount
    }
}

extension ChannelLevel: Codable {
    private enum Key: String, CodingKey {
        case peak, rms, clipped, samples
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(peakDecibels, forKey: .peak)
        try container.encode(rmsDecibels, forKey: .rms)
        try container.encode(clippedCount, forKey: .clipped)
        try container.encode(sampleCount, forKey: .samples)
    }

    /// Decodes everything; a level that does not state the number of samples is that of one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            peak: Float(Decibels.amplitude(try container.decode(Float.self, forKey: .peak))),
            rms: Float(Decibels.amplitude(try container.decode(Float.self, forKey: .rms))),
            clippedCount: try container.decode(Int.self, forKey: .clipped),
            sampleCount: try container.decodeIfPresent(Int.self, forKey: .samples) ?? 1)
    }
}

/// Levels in decibels relative to full scale.
enum Decibels {
    /// The lowest level, also used for silence.
    static let floor: Float = -120

    /// The highest level, above that of any 32-bit float; also used for infinity.
    static let ceiling: Float = 771

    /// The amplitude of a level; 0 at the floor.
    static func amplitude(_ decibels: Float) -> Double {
        decibels <= floor ? 0 : pow(10, Double(decibels) / 20)
    }

    /// 20 · log10 of the amplitude, always finite: clamped to the floor and the ceiling; NaN gives the floor.
    static func fromAmplitude(_ amplitude: Double) -> Float {
        guard amplitude > 0 else { return floor }
        return min(max(Float(20 * log10(amplitude)), floor), ceiling)
    }
}
