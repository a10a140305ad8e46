import Glibc

/// How often a programme had which loudness, from -70 LUFS, the absolute gate of ITU-R BS.1770-5, up to +10.
///
/// Has the same size however long the programme is. Each bin keeps the sum of the powers in it, so that the gated mean is
/// exact but for the bin that the relative gate cuts.
struct LoudnessHistogram {
    private static let lowest = -70.0
    private static let binsPerUnit = 20.0
    private static let binCount = 1600

    private var counts = [UInt32](repeating: 0, count: binCount)
    private var powers = [Double](repeating: 0, count: binCount)

    /// Adds a block, unless it is below the absolute gate. One above +10 LUFS counts in the highest bin.
    mutating func add(_ power: Double) {
        let place = (Self.loudness(power) - Self.lowest) * Self.binsPerUnit
        guard place >= 0 else { return }
        let bin = min(Int(min(place, 1e6)), Self.binCount - 1)
        counts[bin] &+= 1
        powers[bin] += power
    }

    /// The loudness of the mean power of blocks at most this far below the mean of all, in LUFS; nil if there are none.
    func gatedLoudness(gate: Double) -> Double? {
        guard let first = firstBin(gate: gate) else { return nil }
        var (count, power) = (0, 0.0)
        for bin in first..<Self.binCount {
            count += Int(counts[bin])
            power += powers[bin]
        }
        return count == 0 ? nil : Self.loudness(power / Double(count))
    }

    /// The distance from one percentile to a higher one of the blocks at most `gate` LU below the mean of all, in LU; nil
    /// without any.
    func range(gate: Double, from low: Double, to high: Double) -> Double? {
        guard let first = firstBin(gate: gate) else { return nil }
        let total = (first..<Self.binCount).reduce(0) { $0 + Int(counts[$1]) }
        guard total > 0 else { return nil }
        return percentile(high, from: first, of: total) - percentile(low, from: first, of: total)
    }

    /// The first bin whose blocks lie above the relative gate; nil without blocks.
    private func firstBin(gate: Double) -> Int? {
        var (count, power) = (0, 0.0)
        for bin in 0..<Self.binCount {
            count += Int(counts[bin])
            power += powers[bin]
        }
        guard count > 0 else { return nil }
        let threshold = power / Double(count) * pow(10, -gate / 10)
        return (0..<Self.binCount).first { counts[$0] > 0 && powers[$0] / Double(counts[$0]) >= threshold }
    }

    /// The loudness of a percentile: the mean power of the bin in which it lies, whose width is 0.05 LU.
    private func percentile(_ part: Double, from first: Int, of total: Int) -> Double {
        var rest = Int((Double(total - 1) * part).rounded())
        for bin in first..<Self.binCount where counts[bin] > 0 {
            rest -= Int(counts[bin])
            if rest < 0 { return Self.loudness(powers[bin] / Double(counts[bin])) }
        }
        return Self.lowest
    }

    /// The loudness of a weighted mean square in LUFS (ITU-R BS.1770-5, Annex 1, equation 2); minus infinity for silence.
    static func loudness(_ power: Double) -> Double {
        power > 0 ? -0.691 + 10 * log10(power) : -.infinity
    }
}
