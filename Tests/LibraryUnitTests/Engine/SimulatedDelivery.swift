import TestSupport
import Testing

@testable import ACCAudioRecorder

/// What an intake gets of a source that loses audio, drifts, and is delivered late: computed, without a clock.
struct SimulatedDelivery {
    /// A time of the source's clock at which something begins, and how long it lasts, in seconds.
    struct Span {
        var time: Double
        var length: Double
    }

    /// A client comes or goes, and from then on deliveries have this latency in seconds.
    struct Change {
        var time: Double
        var latency: Double
    }

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

    init(seed: UInt64) {
        self.seed = seed
    }

    private static let rate = 48_000.0

    /// The stamps of all fragments.
    func stamps() -> [FragmentStamp] {
        var random = SplitMix64(seed: seed)
        let step = Double(fragmentFrames) / Self.rate
        var (stamps, last) = ([FragmentStamp](), 0.0)
        var losses = losses[...]
        // The machine's time when the frames of the next fragment begin to be captured.
        var time = 0.0
        var (latency, changeCount) = (0.01, 0)
        var changes = changes[...]
        while time < length {
            let start = time
            time += step * (1 + drift(time))
            // A loss within a fragment delays its end.
            while let loss = losses.first, loss.time < time {
                time += loss.length
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
            stamps.append(
                FragmentStamp(
                    byteCount: fragmentFrames * 4, hostTime: UInt64((10 + start) * 1e9),
                    arrivalTime: UInt64((10 + last) * 1e9), changeCount: changeCount, keptLength: step / 2))
        }
        return stamps
    }

    /// What the intake reports as missing, in seconds, and in how many gaps.
    func reported() -> (seconds: Double, gaps: Int) {
        let stamps = stamps()
        var intake = Intake(.made("source", rate: UInt32(Self.rate)), fragmentFrames: fragmentFrames)
        var (seconds, gaps) = (0.0, 0)
        for index in stamps.indices {
            var decisions: [Intake.Decision]?
            while decisions == nil {
                decisions = intake.decide(
                    .fragment(stamps[index]), upcoming: stamps[index...].prefix(intake.lookahead))
            }
            for decision in decisions ?? [] {
                switch decision {
                case .gap(let length, _): (seconds, gaps) = (seconds + length, gaps + 1)
                case .missing(let shortfall): (seconds, gaps) = (seconds + shortfall.seconds, gaps + 1)
                case .record, .flow, .partMissing: break
                }
            }
        }
        if let shortfall = intake.close() { (seconds, gaps) = (seconds + shortfall.seconds, gaps + 1) }
        return (seconds, gaps)
    }

    /// Expects what is reported to be what is lost, to 1 % and 30 ms.
    func expectAccounted(sourceLocation: SourceLocation = #_sourceLocation) {
        let lost = losses.reduce(0) { $0 + $1.length }
        let (seconds, gaps) = reported()
        #expect(
            abs(seconds - lost) <= lost / 100 + 0.03, "\(seconds) s of \(lost) s in \(gaps) gaps",
            sourceLocation: sourceLocation)
    }
}
