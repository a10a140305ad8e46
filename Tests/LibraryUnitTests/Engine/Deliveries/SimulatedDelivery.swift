import TestSupport

@testable import ACCAudioRecorder

/// What an intake gets of a source that loses audio, drifts, and is delivered late: computed, without a clock.
struct SimulatedDelivery {
    /// A time of the machine's clock at which something begins, and how long it lasts, in seconds.
    struct Span {
        var time: Double
        var length: Double
    }

    /// A client comes or goes, and from then on deliveries have this latency in seconds.
    struct Change {
        var time: Double
        var latency: Double
    }

    static let rate = 48_000.0

    /// In seconds.
    var length = 30.0
    var fragmentFrames = 1_920
    /// Audio that is lost; in order, not overlapping.
    var losses: [Span] = []
    /// Times in which nothing is delivered, whose audio arrives afterwards at once.
    var stalls: [Span] = []
    var changes: [Change] = []
    /// The longest random delay of a fragment in seconds; half of the fragments have less than a fifth of it.
    var jitter = 0.006
    /// By how many seconds the source's clock loses in a second, at a time.
    var drift: (Double) -> Double = { _ in 0 }
    private let seed: UInt64
    /// How long the stated latency takes to follow a loss, and by how much it varies, in seconds: measured on both servers.
    private static let statedDelay = 2.0
    private static let statedJitter = 0.01

    init(seed: UInt64) {
        self.seed = seed
    }

    /// The length of a fragment in seconds.
    var fragment: Double { Double(fragmentFrames) / Self.rate }

    /// Stops the reader. The server keeps so many seconds of audio for it, and its newest block; what lies between them is
    /// lost.
    mutating func stop(_ span: Span, keeping queue: Double) {
        stalls.append(span)
        let lost = span.length - queue - fragment / 2
        if lost > 0 { losses.append(.init(time: span.time + queue, length: lost)) }
    }

    /// The stamps of all fragments, and the number of frames before each loss.
    func fragments() -> (stamps: [FragmentStamp], places: [Int]) {
        var random = SplitMix64(seed: seed)
        var (stamps, places, last) = ([FragmentStamp](), [Int](), 0.0)
        var losses = losses[...]
        // The machine's time when the frames of the next fragment begin to be captured.
        var time = 0.0
        var (latency, changeCount) = (0.01, 0)
        var changes = changes[...]
        var unstated: [Span] = []
        while time < length {
            let start = time
            time += fragment * (1 + drift(time))
            // A loss within a fragment delays its end.
            var lost = 0.0
            while let loss = losses.first, loss.time < time {
                places.append(stamps.count * fragmentFrames + Int((loss.time - start - lost) * Self.rate))
                time += loss.length
                lost += loss.length
                unstated.append(loss)
                losses.removeFirst()
            }
            while let change = changes.first, change.time < time {
                (latency, changeCount) = (change.latency, changeCount + 1)
                changes.removeFirst()
            }
            let share = Double.random(in: 0...1, using: &random)
            var arrival = time + latency + jitter * share * share * share
            for stall in stalls where (stall.time..<stall.time + stall.length).contains(arrival) {
                arrival = stall.time + stall.length
            }
            last = max(last, arrival)
            unstated.removeAll { $0.time + $0.length + Self.statedDelay < time }
            let stated = unstated.reduce(time - fragment) { $0 - $1.length }
            let error = Double.random(in: 0...Self.statedJitter, using: &random)
            stamps.append(
                FragmentStamp(
                    byteCount: fragmentFrames * 4, hostTime: UInt64((10 + stated + error) * 1e9),
                    arrivalTime: UInt64((10 + last) * 1e9), changeCount: changeCount, keptLength: fragment / 2))
        }
        return (stamps, places)
    }
}
