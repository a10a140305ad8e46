/// The lags of the fragments of the last two and a half seconds, to compare later ones with.
///
/// Only the extremes of each quarter of a second are stored.
struct ArrivalBaseline {
    private static let bucketLength = 0.25
    private static let bucketCount = 10

    private struct Bucket {
        var lowest = Double.infinity
        var highest = -Double.infinity
        var highestStated = -Double.infinity
    }

    private var buckets = Array(repeating: Bucket(), count: bucketCount)
    private var current = 0
    private var length = 0.0
    private var filledCount = 0

    /// Whether it covers at least half a second.
    var isEstablished: Bool { filledCount >= 2 }

    /// The lowest and the highest lag by arrival time, in seconds.
    var lowest: Double { buckets.reduce(.infinity) { min($0, $1.lowest) } }
    var highest: Double { buckets.reduce(-.infinity) { max($0, $1.highest) } }

    /// The highest lag by the server's stated latency, in seconds.
    var highestStated: Double { buckets.reduce(-.infinity) { max($0, $1.highestStated) } }

    /// The variation of the lowest lag between quarters of a second, in seconds.
    var jitter: Double {
        let lowest = lowest
        return buckets.reduce(0) { $1.lowest < .infinity ? max($0, $1.lowest - lowest) : $0 }
    }

    /// Adds a fragment with a length in seconds.
    ///
    /// - Parameters:
    ///   - lag: Its lag by arrival time, in seconds.
    ///   - statedLag: Its lag by the server's stated latency, in seconds.
    mutating func add(_ lag: Double, stated statedLag: Double, over seconds: Double) {
        if length >= Self.bucketLength {
            current = (current + 1) % Self.bucketCount
            buckets[current] = Bucket()
            length = 0
            filledCount += 1
        }
        length += seconds
        buckets[current].lowest = min(buckets[current].lowest, lag)
        buckets[current].highest = max(buckets[current].highest, lag)
        buckets[current].highestStated = max(buckets[current].highestStated, statedLag)
    }

    /// Raises all lags by the length of audio that is missing from now on, in seconds.
    mutating func shift(by seconds: Double) {
        for index in buckets.indices {
            buckets[index].lowest += seconds
            buckets[index].highest += seconds
            buckets[index].highestStated += seconds
        }
    }
}
