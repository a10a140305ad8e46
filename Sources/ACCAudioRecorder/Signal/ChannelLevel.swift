/// The level of one channel over some frames.
public struct ChannelLevel: Sendable, Hashable {
    /// The largest magnitude; full scale is 1.
    public var peak: Float = 0
    /// The sum of the squared samples.
    var sumOfSquares: Double = 0
    /// Samples that reached full scale: the largest value of the source's integer format, or 1 in floating point.
    public var clippedCount = 0
    /// How many samples were measured.
    public var sampleCount = 0

    /// The level of no samples.
    public init() {}

    /// The largest magnitude in dBFS, not below -120.
    public var peakDecibels: Float { Decibels.fromAmplitude(Double(peak)) }

    /// The root of the mean square in dBFS, where a full-scale square wave is 0 dBFS (and a full-scale
    /// sine -3.01); not below -120.
    public var rmsDecibels: Float {
        Decibels.fromAmplitude(sampleCount == 0 ? 0 : (sumOfSquares / Double(sampleCount)).squareRoot())
    }

    /// The level of both runs of frames together.
    public mutating func add(_ other: ChannelLevel) {
        peak = max(peak, other.peak)
        sumOfSquares += other.sumOfSquares
        clippedCount += other.clippedCount
        sampleCount += other.sampleCount
    }
}
