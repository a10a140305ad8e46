import Glibc

/// How often a channel had which level, by blocks of about 50 ms: from there come the levels of the noise and of speech.
///
/// These are the statistical levels of acoustics: L90 is exceeded for 90 % of the time, and is taken as the noise floor, L10 for
/// 10 % of the time, and is taken as the level of speech (ISO 1996-1).
struct LevelStatistics {
    private static let slotsPerBlock = 5
    /// Bins of 0.5 dB, from -120 dBFS up to 0.
    private static let binsPerDecibel = 2.0
    private static let binCount = 241

    private var counts = [UInt32](repeating: 0, count: binCount)
    private var sumOfSquares = 0.0
    private var slotCount = 0

    /// Takes a slot.
    mutating func take(_ level: SlotLevel, frames: Int) {
        sumOfSquares += level.sumOfSquares / Double(max(frames, 1))
        slotCount += 1
        guard slotCount == Self.slotsPerBlock else { return }
        let decibels = 10 * log10(sumOfSquares / Double(Self.slotsPerBlock))
        (slotCount, sumOfSquares) = (0, 0)
        // Digital silence is neither noise nor speech.
        guard decibels > -120 else { return }
        let bin = Int((min(decibels, 0) + 120) * Self.binsPerDecibel)
        counts[bin] &+= 1
    }

    /// The level in dBFS that is exceeded for this part of the time with sound; nil if there was none.
    func level(exceededFor part: Double) -> Double? {
        let total = counts.reduce(0) { $0 + Int($1) }
        guard total > 0 else { return nil }
        var rest = Int(Double(total) * (1 - part))
        for (bin, count) in counts.enumerated() {
            rest -= Int(count)
            if rest < 0 { return (Double(bin) + 0.5) / Self.binsPerDecibel - 120 }
        }
        return 0
    }
}

/// Tells a constant that was added to a channel from slow sound.
struct SteadyOffset {
    /// -56 dBFS. An edit of a recording with less makes no click that is heard.
    private static let least = 0.0016
    private static let fewestBlocks = 3

    private var sum = 0.0
    private var sumOfSquares = 0.0
    private var count = 0

    /// Takes the mean of a second.
    mutating func take(mean: Double) {
        sum += mean
        sumOfSquares += mean * mean
        count += 1
    }

    /// The offset; 1 is full scale. Nil if there is none to speak of, or if the means vary by as much, as they do in wind.
    var value: Double? {
        guard count >= Self.fewestBlocks else { return nil }
        let mean = sum / Double(count)
        let variance = max(sumOfSquares / Double(count) - mean * mean, 0)
        return abs(mean) >= Self.least && variance.squareRoot() < abs(mean) / 2 ? mean : nil
    }
}
