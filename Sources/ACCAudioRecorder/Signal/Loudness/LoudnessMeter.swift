import Glibc

/// Measures loudness by ITU-R BS.1770-5 and EBU R 128: momentary, short-term and integrated loudness (EBU Tech 3341) and the
/// loudness range (EBU Tech 3342).
///
/// Allocates nothing after its creation, and has the same size however long it measures. It is not libebur128, which sums
/// up each sample seven times: that takes five times as long, and more than all of a take's analysis may.
///
/// Mono is measured as one channel, as R 128 has it: 3 LU less than the same on both loudspeakers.
struct LoudnessMeter: ~Copyable {
    /// Blocks of 10 ms in the momentary and in the short-term window: 400 ms and 3 s.
    private static let momentaryBlocks = 40
    /// The least that is measured, in seconds: a momentary window.
    static let leastSeconds = Double(momentaryBlocks) / 100
    private static let shortTermBlocks = 300
    /// The gate gets a window every 100 ms. The momentary loudness is renewed with each block, so that a tone of 400 ms is measured
    /// wherever it begins.
    private static let gatedBlocks = 10

    /// The length of a block of 10 ms in frames.
    private let blockFrames: Int
    private let weights: [Double]
    /// One for each two channels.
    private var filters: [KWeighting]
    /// What the current block has so far: frames, and the weighted sum of squares.
    private var position = 0
    private var sum = 0.0
    /// The power of the last blocks, in a ring.
    private var blocks = [Double](repeating: 0, count: shortTermBlocks)
    private var blockCount = 0
    private var momentaryHistogram = LoudnessHistogram()
    private var shortTermHistogram = LoudnessHistogram()

    /// The loudness of the last 400 ms in LUFS, renewed every 10 ms; nil before.
    private(set) var momentary: Double?
    /// The loudness of the last 3 s in LUFS, renewed every 100 ms; nil before.
    private(set) var shortTerm: Double?
    /// The highest momentary loudness in LUFS.
    private(set) var highestMomentary: Double?
    /// The highest short-term loudness in LUFS.
    private(set) var highestShortTerm: Double?

    /// - Parameter sampleRate: In Hz.
    init(sampleRate: Int, channelMap: ChannelMap) {
        blockFrames = max((sampleRate + 50) / 100, 1)
        weights = channelMap.loudnessWeights
        let coefficients = KWeighting.Coefficients(sampleRate: Double(sampleRate))
        filters = Array(repeating: KWeighting(coefficients), count: (weights.count + 1) / 2)
    }

    /// The loudness of the whole programme, gated, in LUFS; nil as long as nothing was louder than -70 LUFS.
    var integrated: Double? { momentaryHistogram.gatedLoudness(gate: 10) }

    /// The loudness range in LU, from the 10th to the 95th percentile of the short-term loudness; nil within the first 3 s.
    var range: Double? { shortTermHistogram.range(gate: 20, from: 0.10, to: 0.95) }

    /// Adds the frames that follow.
    mutating func add(_ frames: PlanarFrames) {
        var first = 0
        while first < frames.frameCount {
            let count = min(blockFrames - position, frames.frameCount - first)
            filter(frames.part(from: first, count: count))
            first += count
            position += count
            if position == blockFrames { finishBlock() }
        }
    }

    private mutating func filter(_ frames: PlanarFrames) {
        for pair in filters.indices {
            let (left, right) = (2 * pair, min(2 * pair + 1, weights.count - 1))
            let weight = KWeighting.Pair(weights[left], right == left ? 0 : weights[right])
            guard weight != .zero else { continue }
            let squares = filters[pair].sumOfSquares(
                frames.samples(of: left), frames.samples(of: right), count: frames.frameCount)
            sum += (squares * weight).sum()
        }
    }

    private mutating func finishBlock() {
        blocks[blockCount % Self.shortTermBlocks] = sum / Double(blockFrames)
        blockCount += 1
        (position, sum) = (0, 0)
        let isGated = blockCount % Self.gatedBlocks == 0
        if let power = power(of: Self.momentaryBlocks) {
            if isGated { momentaryHistogram.add(power) }
            let loudness = LoudnessHistogram.loudness(power)
            momentary = loudness
            highestMomentary = max(highestMomentary ?? loudness, loudness)
        }
        if isGated, let power = power(of: Self.shortTermBlocks) {
            shortTermHistogram.add(power)
            let loudness = LoudnessHistogram.loudness(power)
            shortTerm = loudness
            highestShortTerm = max(highestShortTerm ?? loudness, loudness)
        }
    }

    /// The mean of the last blocks; nil before there are as many.
    private func power(of count: Int) -> Double? {
        guard blockCount >= count else { return nil }
        var sum = 0.0
        for block in blockCount - count..<blockCount { sum += blocks[block % Self.shortTermBlocks] }
        return sum / Double(count)
    }
}

extension ChannelMap {
    /// The weight of each channel in the loudness (ITU-R BS.1770-5): surround channels at the side count 1.41, the one
    /// for low frequencies nothing. Rear channels are those at the side, unless a map has both.
    fileprivate var loudnessWeights: [Double] {
        let side: Set<ChannelPosition> = [.sideLeft, .sideRight]
        let hasSide = positions.contains { side.contains($0) }
        return positions.map { position in
            switch position {
            case .lowFrequency: 0
            case .sideLeft, .sideRight: 1.41
            case .rearLeft, .rearRight: hasSide ? 1 : 1.41
            default: 1
            }
        }
    }
}

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
