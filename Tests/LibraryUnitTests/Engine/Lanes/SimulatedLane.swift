import TestSupport

@testable import ACCAudioRecorder

/// The stamps of a lane's fragments over days: of five fragments of 40 ms only the one that is the least late; or all of them,
/// where the server is asked for its timing with each.
struct SimulatedLane {
    static let spec = SampleSpec(format: .u8, sampleRate: 8_000, channelCount: 1)
    /// The number of real fragments that one stands for.
    static let thinning = 5
    /// CLOCK_MONOTONIC at the beginning, in seconds.
    private static let start = 100.0

    /// The length of a fragment in seconds.
    let fragment: Double
    /// By how many seconds the lane's clock loses in a second, at a time.
    let drift: (Double) -> Double
    /// How long a fragment takes from its end to its arrival, if it is not late.
    var latency: Double
    /// What a server states that its source keeps, in seconds; nil for one that states only a sum.
    var sourceLatency: Double?
    /// By how much fragments are late, and what is stated wrongly of their capture; repeated.
    private let lateness: [Double]
    private let misstatements: [Double]
    /// What is stated too much at a time by a server that is asked; nil if it is not asked.
    private let statedError: ((Double) -> Double)?
    private var number: Int
    /// The time until which the lane has captured, in seconds.
    private(set) var time = 0.0
    private var lastArrival = 0.0
    /// Audio that was lost, but is not in what is stated until that time: by how much it is too early.
    private var unstated = (seconds: 0.0, until: 0.0)

    /// - Parameters:
    ///   - lateness: For each of its fragments, repeated; with the jitter of a simulated delivery by default.
    ///   - statedError: What is stated too much at a time by a server that is asked with each fragment, beside its levels and
    ///     their noise; nil for one that is not asked.
    init(
        seed: UInt64, latency: Double = 0.02, lateness: [Double]? = nil, drift: @escaping (Double) -> Double,
        statedError: ((Double) -> Double)? = nil
    ) {
        var random = SplitMix64(seed: seed)
        self.statedError = statedError
        fragment = statedError == nil ? 0.2 : 0.04
        self.drift = drift
        self.latency = latency
        let delivery = SimulatedDelivery(seed: seed)
        self.lateness =
            lateness
            ?? (0..<4_999).map { _ in
                let share = (0..<Self.thinning).map { _ in Double.random(in: 0...1, using: &random) }.min()!
                return delivery.jitter * share * share * share
            }
        // The mean of five, because the median of five times as many fragments is that much more exact.
        misstatements = (0..<4_987).map { _ in
            guard statedError == nil else { return Self.misstatement(using: &random) }
            return (0..<Self.thinning).reduce(0) { sum, _ in
                sum + .random(in: 0...0.01, using: &random) / Double(Self.thinning)
            }
        }
        number = Int(seed) * 7
    }

    /// The next fragment, and when its capture began.
    mutating func next() -> (stamp: FragmentStamp, begin: Double) {
        number += 1
        let begin = time
        time += fragment * (1 + drift(begin))
        lastArrival = max(lastArrival, time + latency + lateness[number % lateness.count])
        var stated = begin + misstatements[number % misstatements.count] + (statedError?(begin) ?? 0)
        if begin < unstated.until { stated -= unstated.seconds }
        let stamp = FragmentStamp(
            byteCount: Int(fragment * Self.spec.sampleRate),
            hostTime: UInt64((Self.start + stated) * 1e9), isAsked: statedError != nil,
            sourceLatency: sourceLatency.map { Int64($0 * 1e9) },
            arrivalTime: UInt64((Self.start + lastArrival) * 1e9))
        return (stamp, begin)
    }

    /// What the fragments that follow, if nothing else happens, say of the next one.
    func judgement(by arrivals: LaneArrivals) -> ArrivalLevel.Judgement {
        guard sourceLatency != nil else { return .usual }
        var ahead = self
        let stamps = (0..<5).map { _ in ahead.next().stamp }
        return arrivals.judge(stamps[...], isLast: false)
    }

    /// As PulseAudio states: two thirds at one level and the others 10 ms lower, more for an answer that has waited.
    private static func misstatement(using random: inout SplitMix64) -> Double {
        let level = Double.random(in: 0...1, using: &random) < 0.3 ? 0 : 0.01
        let wait = Double.random(in: 0...1, using: &random)
        return level + (wait < 0.9 ? 0.0003 * wait : .random(in: 0...0.012, using: &random))
    }

    /// Loses the audio of the next seconds.
    mutating func lose(_ seconds: Double) {
        time += seconds * (1 + drift(time))
        unstated = (seconds, time + 2)
    }

    /// Goes away for some seconds.
    mutating func leave(for seconds: Double) {
        time += seconds
    }
}

extension SimulatedLane {
    /// By how much the least late fragments are late in a trace of a server.
    static func lateness(of name: String) throws -> [Double] {
        let trace = try ArrivalTrace(name)
        var seconds = 0.0
        let lags = trace.stamps.map { stamp in
            seconds += Double(stamp.byteCount / 4) / Double(trace.rate)
            return Double(stamp.arrivalTime) * 1e-9 - seconds
        }
        let lowest = lags.min()!
        return stride(from: 0, to: lags.count - thinning + 1, by: thinning).map { first in
            lags[first..<first + thinning].min()! - lowest
        }
    }
}
