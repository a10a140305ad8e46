/// The lowest and the highest of the lags of the last two and a half seconds, at no cost to speak of.
struct LagHistory {
    private static let bucketLength = 0.25
    private static let bucketCount = 10

    private struct Bucket {
        var lowest = Double.infinity
        var highest = -Double.infinity
    }

    private var buckets = Array(repeating: Bucket(), count: bucketCount)
    private var current = 0
    private var length = 0.0
    private var filledCount = 0

    /// Whether it spans half a second.
    var isMeaningful: Bool { filledCount >= 2 }

    var isEmpty: Bool { lowest == .infinity }

    var lowest: Double { buckets.reduce(.infinity) { min($0, $1.lowest) } }
    var highest: Double { buckets.reduce(-.infinity) { max($0, $1.highest) } }

    /// By how much the lowest lag of one quarter of a second differs from that of another.
    var wandering: Double {
        let lowest = lowest
        return buckets.reduce(0) { $1.lowest < .infinity ? max($0, $1.lowest - lowest) : $0 }
    }

    /// Takes the lag of a fragment of this length, both in seconds.
    mutating func add(_ lag: Double, over seconds: Double) {
        if length >= Self.bucketLength {
            current = (current + 1) % Self.bucketCount
            buckets[current] = Bucket()
            length = 0
            filledCount += 1
        }
        length += seconds
        buckets[current].lowest = min(buckets[current].lowest, lag)
        buckets[current].highest = max(buckets[current].highest, lag)
    }

    /// Forgets all.
    mutating func reset() {
        for index in buckets.indices { buckets[index] = Bucket() }
        length = 0
        filledCount = 0
    }
}
