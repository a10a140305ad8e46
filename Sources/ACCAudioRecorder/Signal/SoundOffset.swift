/// By how much one recording of a sound is later than another: where their cross-correlation is highest around the loudest moment
/// of the first.
package enum SoundOffset {
    /// By how much they may be apart, in seconds.
    package static let longest = 1.0
    /// How long a part is compared, and how much of it is before the loudest moment, in seconds.
    private static let (length, lead) = (0.1, 0.02)
    /// The length in seconds of a moment.
    private static let moment = 0.005
    /// The lowest correlation of one sound in two recordings: a room changes it.
    private static let leastLikeness = 0.3

    /// By how many seconds the other one is later; nil if the loudest sound of the first is not in it.
    ///
    /// - Parameter sampleRate: In Hz.
    package static func seconds(of other: [Float], behind first: [Float], sampleRate: Double) -> Double? {
        // Differences, since a click has high frequencies and noise of rooms has low ones.
        let (first, other) = (differences(first), differences(other))
        let frames = { (seconds: Double) in Int(seconds * sampleRate) }
        let (largest, count) = (frames(longest), min(first.count, other.count))
        guard let peak = loudest(in: first[..<count], by: frames(moment)) else { return nil }
        let begin = max(peak - frames(lead), 0)
        let part = first[begin..<min(begin + frames(length), count)]
        let lags = max(-largest, -begin)...max(min(largest, count - part.endIndex), -begin)
        let likenesses = lags.map { lag in abs(likeness(part, other[part.startIndex + lag..<part.endIndex + lag])) }
        guard let best = likenesses.indices.max(by: { likenesses[$0] < likenesses[$1] }),
            likenesses[best] >= leastLikeness
        else { return nil }
        return (Double(lags.lowerBound + best) + vertex(of: likenesses, at: best)) / sampleRate
    }

    private static func differences(_ samples: [Float]) -> [Double] {
        zip(samples.dropFirst(), samples).map { Double($0) - Double($1) }
    }

    /// The first frame of the moment with the most power; nil if all are silent.
    private static func loudest(in samples: ArraySlice<Double>, by length: Int) -> Int? {
        let powers = stride(from: 0, to: samples.count - length, by: max(length, 1)).map { first in
            (first: first, power: samples[first..<first + length].reduce(0) { $0 + $1 * $1 })
        }
        return powers.max { $0.power < $1.power }.flatMap { $0.power > 0 ? $0.first : nil }
    }

    /// The normalised correlation of two parts of one length.
    private static func likeness(_ one: ArraySlice<Double>, _ other: ArraySlice<Double>) -> Double {
        var (product, power, otherPower) = (0.0, 0.0, 0.0)
        one.withUnsafeBufferPointer { one in
            other.withUnsafeBufferPointer { other in
                for index in one.indices {
                    product += one[index] * other[index]
                    power += one[index] * one[index]
                    otherPower += other[index] * other[index]
                }
            }
        }
        return power > 0 && otherPower > 0 ? product / (power * otherPower).squareRoot() : 0
    }

    /// How far the vertex of the parabola through a value and its neighbours is from the value.
    private static func vertex(of values: [Double], at index: Int) -> Double {
        guard values.indices.contains(index - 1), values.indices.contains(index + 1) else { return 0 }
        let curvature = values[index - 1] - 2 * values[index] + values[index + 1]
        return curvature == 0 ? 0 : (values[index - 1] - values[index + 1]) / (2 * curvature)
    }
}
