import Glibc

/// Compares the two channels of each stereo pair: which is the other one, the other one upside down, or next to nothing.
struct ChannelPairs {
    /// From this correlation on, what differs is 40 dB below the sound: the noise of two inputs with one microphone.
    private static let sameCorrelation = 0.9999
    /// No stereo technique comes near for long.
    private static let invertedCorrelation = -0.7
    /// As far as sound reaches the other input of a stereo pair without a microphone of its own: 30 dB.
    private static let leastDistance = 30.0
    /// Channels below -60 dBFS are not compared: noise of two inputs may be alike.
    fileprivate static let lowestVariance = 1e-6

    /// Two channels, and the sums of the products of their samples.
    private struct Pair {
        let first: Int
        let second: Int
        var products = 0.0
    }

    private var pairs: [Pair]

    init(channelMap: ChannelMap) {
        pairs = Self.pairs(of: channelMap).map { Pair(first: $0, second: $1) }
    }

    /// Left and right of each kind; of channels without a position, each two that follow one another.
    private static func pairs(of map: ChannelMap) -> [(Int, Int)] {
        if map.positions.allSatisfy(\.isAuxiliary) {
            return stride(from: 0, to: map.count - 1, by: 2).map { ($0, $0 + 1) }
        }
        return map.positions.enumerated().compactMap { index, position in
            guard position.rawValue.hasSuffix("left"), let right = position.rightOne,
                let other = map.positions.firstIndex(of: right)
            else { return nil }
            return (index, other)
        }
    }

    /// Takes a slot.
    mutating func take(_ frames: PlanarFrames) {
        for index in pairs.indices {
            let (first, second) = (frames.samples(of: pairs[index].first), frames.samples(of: pairs[index].second))
            pairs[index].products += Self.product(first, second, count: frames.frameCount)
        }
    }

    /// What there is to say of the pairs so far.
    ///
    /// - Parameters:
    ///   - levels: The levels of the channels so far.
    ///   - count: The number of frames so far.
    func findings(levels: [SlotLevel], count: Int) -> [SignalFinding] {
        pairs.compactMap { finding(of: $0, levels: levels, count: count) }
    }

    private func finding(of pair: Pair, levels: [SlotLevel], count: Int) -> SignalFinding? {
        let frames = 0..<count
        let (first, second) = (levels[pair.first], levels[pair.second])
        let variances = [first.variance(count), second.variance(count)]
        guard let highest = variances.max(), highest > Self.lowestVariance else { return nil }
        let numbers = [pair.first + 1, pair.second + 1]
        let lowest = min(variances[0], variances[1])
        let distance = 10 * log10(highest / max(lowest, 1e-12))
        if distance >= Self.leastDistance {
            let quiet = variances[0] < variances[1] ? numbers[0] : numbers[1]
            return SignalFinding(.oneSided, channels: [quiet], frames: frames, value: distance)
        }
        let covariance = pair.products / Double(count) - first.mean(count) * second.mean(count)
        let correlation = min(max(covariance / (variances[0] * variances[1]).squareRoot(), -1), 1)
        if correlation >= Self.sameCorrelation {
            return SignalFinding(.identical, channels: numbers, frames: frames, value: correlation)
        }
        guard correlation <= Self.invertedCorrelation else { return nil }
        return SignalFinding(.inverted, channels: numbers, frames: frames, value: correlation)
    }

    private static func product(_ first: UnsafePointer<Float>, _ second: UnsafePointer<Float>, count: Int) -> Double {
        typealias Vector = SIMD8<Float>
        let vectors = count / Vector.scalarCount
        var sums = Vector.zero
        for vector in 0..<vectors {
            let offset = vector * Vector.scalarCount
            sums +=
                UnsafeRawPointer(first + offset).loadUnaligned(as: Vector.self)
                * UnsafeRawPointer(second + offset).loadUnaligned(as: Vector.self)
        }
        var sum = sums.sum()
        for index in vectors * Vector.scalarCount..<count { sum += first[index] * second[index] }
        return Double(sum)
    }
}

/// Finds channels that are copies of one another, wherever they lie: each of their slots has the same levels.
struct ChannelCopies {
    /// For each channel, the first one that has had the same levels in each slot so far.
    private var firsts: [Int]

    init(channelCount: Int) {
        firsts = Array(repeating: 0, count: channelCount)
    }

    /// Takes the levels of a slot, one of each channel.
    mutating func take(_ levels: [SlotLevel]) {
        guard levels.indices.contains(where: { levels[$0] != levels[firsts[$0]] }) else { return }
        // At most once for each channel.
        let formerFirsts = firsts
        for channel in levels.indices {
            firsts[channel] =
                (0...channel).first { formerFirsts[$0] == formerFirsts[channel] && levels[$0] == levels[channel] }
                ?? channel
        }
    }

    /// The groups of channels that are copies so far, counted from 1.
    ///
    /// - Parameters:
    ///   - levels: The levels of the channels so far.
    ///   - count: The number of frames so far.
    func groups(levels: [SlotLevel], count: Int) -> [[Int]] {
        Dictionary(grouping: firsts.indices) { firsts[$0] }
            .filter { $1.count > 1 && levels[$0].variance(count) > ChannelPairs.lowestVariance }.values
            .map { $0.map { $0 + 1 } }.sorted { $0[0] < $1[0] }
    }
}

extension SlotLevel {
    /// The mean of so many frames.
    fileprivate func mean(_ count: Int) -> Double { sum / Double(count) }

    /// The power of so many frames without their mean.
    fileprivate func variance(_ count: Int) -> Double {
        max(sumOfSquares / Double(count) - mean(count) * mean(count), 0)
    }
}

extension ChannelPosition {
    /// The same position to the right of one to the left.
    fileprivate var rightOne: ChannelPosition? {
        switch self {
        case .frontLeft: .frontRight
        case .rearLeft: .rearRight
        case .sideLeft: .sideRight
        case .frontLeftOfCenter: .frontRightOfCenter
        default: nil
        }
    }
}
