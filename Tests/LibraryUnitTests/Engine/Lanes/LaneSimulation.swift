@testable import ACCAudioRecorder

/// Two lanes side by side, the second on the first one's time.
struct LaneSimulation {
    var first: SimulatedLane
    var lane: SimulatedLane
    private(set) var firstArrivals = LaneArrivals(SimulatedLane.spec)
    private(set) var arrivals = LaneArrivals(SimulatedLane.spec)
    private(set) var clock = LaneClock()
    /// When the first lane went away; nil if it delivers.
    private var firstLeft: Double?

    /// The time from which errors count, in seconds.
    var settledTime = 10.0
    /// The errors of the lane's place, in seconds: one a second, and the largest of all.
    private(set) var errors: [Double] = []
    private(set) var worst = 0.0
    /// The largest drift, and its largest change within a second.
    private(set) var largestDrift = 0.0
    private(set) var largestChange = 0.0
    /// By how much the recording's time jumped between two fragments, at most.
    private(set) var largestJump = 0.0
    private(set) var latestError = 0.0
    private var last: (drift: Double, time: Double)?
    private var count = 0

    init(_ first: SimulatedLane, _ lane: SimulatedLane) {
        (self.first, self.lane) = (first, lane)
    }

    /// The median of the errors.
    var median: Double { errors.sorted()[errors.count / 2] }

    /// Runs until a time in seconds.
    mutating func run(until end: Double) {
        while lane.time < end {
            while firstLeft == nil, first.time <= lane.time + lane.fragment {
                let judgement = first.judgement(by: firstArrivals)
                firstArrivals.add(first.next().stamp, isLate: false, as: judgement)
            }
            let seconds = arrivals.seconds
            let judgement = lane.judgement(by: arrivals)
            let (stamp, begin) = lane.next()
            arrivals.add(stamp, isLate: false, as: judgement)
            let wasPlaced = clock.isPlaced
            let expected = clock.time(after: arrivals.seconds)
            clock.follow(arrivals, on: firstArrivals)
            guard clock.isPlaced, let time = clock.time(after: seconds) else { continue }
            compare(time, capturedAt: begin)
            if wasPlaced, let expected, let time = clock.time(after: arrivals.seconds) {
                largestJump = max(largestJump, abs(time - expected))
            }
        }
    }

    private mutating func compare(_ time: Double, capturedAt begin: Double) {
        let truth = firstArrivals.seconds - (first.time - begin) / (1 + first.drift(begin))
        latestError = time - truth
        largestDrift = max(largestDrift, abs(clock.drift))
        if clock.drift != last?.drift, let now = arrivals.arrivalTime {
            if let last {
                largestChange = max(largestChange, abs(clock.drift - last.drift) / max(now - last.time, 1e-6))
            }
            // What it was set to when the lane was placed is no change.
            last = (clock.drift, last == nil ? -.infinity : now)
        }
        guard begin > settledTime else { return }
        worst = max(worst, abs(latestError))
        count += 1
        if count.isMultiple(of: Int(1 / lane.fragment)) { errors.append(abs(latestError)) }
    }

    /// Audio of a lane is lost, and its owner finds it.
    mutating func lose(_ seconds: Double, found: Double, ofFirst: Bool = false) {
        if ofFirst {
            first.lose(seconds)
            firstArrivals.skip(found)
        } else {
            lane.lose(seconds)
            arrivals.skip(found)
        }
    }

    /// The lane goes away for some seconds and comes back.
    mutating func leave(for seconds: Double) {
        lane.leave(for: seconds)
        arrivals.interrupt()
        clock.interrupt()
    }

    /// The first lane goes away.
    mutating func firstLeaves() {
        firstLeft = first.time
    }

    /// The first lane comes back.
    mutating func firstReturns() {
        first.leave(for: lane.time - first.time)
        firstLeft = nil
        let stamp = first.next().stamp
        firstArrivals.skip(firstArrivals.missing(before: stamp))
        firstArrivals.add(stamp, isLate: false)
    }
}
