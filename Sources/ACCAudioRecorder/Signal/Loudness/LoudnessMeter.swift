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
