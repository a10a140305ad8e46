import Testing

@testable import ACCAudioRecorder

/// Two lanes of a server that states what its sources keep (PipeWire), whose arrivals are steady. Without `ArrivalLevel`, each test
/// of a loss fails: the lowest lag of ten seconds hides the step.
// They have one thread and no pointers.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct ArrivalLevelTests {
    private static let millisecond = 1e-3
    /// A cycle of 256 frames.
    private static let cycle = 256.0 / 48_000
    /// A step is seen before its first fragment is placed that is not late, if those after it agree; those of the simulation have 0.2 s,
    /// and some are late.
    private static let seen = 0.8
    /// Fragments of steady arrivals, and single ones that had to wait.
    private static let lateness = [0.0001, 0.0002, 0, 0.012, 0.0001, 0.003, 0.0002]

    private func simulate(keeping latency: Double = 0) -> LaneSimulation {
        var first = SimulatedLane(seed: 1, lateness: Self.lateness) { _ in 0 }
        var lane = SimulatedLane(seed: 2, latency: 0.02 + latency, lateness: Self.lateness) { _ in 50e-6 }
        (first.sourceLatency, lane.sourceLatency) = (0, latency)
        var simulation = LaneSimulation(first, lane)
        simulation.run(until: 100)
        #expect(abs(simulation.latestError) < 0.3 * Self.millisecond)
        return simulation
    }

    /// Expects that the lane is in its place from now on.
    private func expectPlace(in simulation: inout LaneSimulation, at time: Double) {
        simulation.run(until: time)
        for second in 1...30 {
            #expect(abs(simulation.latestError) < Self.millisecond, "\(simulation.latestError) at \(time)")
            simulation.run(until: time + Double(second))
        }
    }

    @Test("A loss that nobody has found is made up for at once", arguments: [true, false], [1.0, 2, 11])
    func loss(isFirst: Bool, cycles: Double) {
        var simulation = simulate()
        simulation.lose(cycles * Self.cycle, found: 0, ofFirst: isFirst)
        expectPlace(in: &simulation, at: 100 + cycles * Self.cycle + Self.seen)
    }

    @Test("What a source keeps is part of the place after a step as before", arguments: [-0.0107, 0.0107])
    func sourceLatency(seconds: Double) {
        var simulation = simulate(keeping: seconds)
        simulation.lose(Self.cycle, found: 0)
        expectPlace(in: &simulation, at: 100 + Self.cycle + Self.seen)
    }

    @Test("A loss of both lanes at once moves none")
    func commonLoss() {
        var simulation = simulate()
        simulation.settledTime = 100
        simulation.lose(0.032, found: 0, ofFirst: true)
        simulation.lose(0.032, found: 0)
        simulation.run(until: 140)
        #expect(simulation.worst < 0.5 * Self.millisecond)
    }

    @Test("A step soon after a return is no drift", arguments: [3.0, 4, 5, 6, 8])
    func stepAfterReturn(seconds: Double) {
        var simulation = simulate()
        simulation.leave(for: 5)
        simulation.run(until: 105 + seconds)
        simulation.lose(0.0036, found: 0)
        expectPlace(in: &simulation, at: simulation.lane.time + Self.seen)
    }

    /// What is said of the first of fragments that arrive 40 ms after one another, with lags of so many milliseconds where 0 were
    /// expected.
    private func judgement(
        _ lags: [Double], expected: Double? = 0, isLast: Bool = false
    ) -> ArrivalLevel.Judgement {
        let arrivals = lags.enumerated().map { number, lag in
            LagPoint(time: 0.04 * Double(number), lag: lag * Self.millisecond)
        }
        return ArrivalLevel.judge(arrivals, length: 0.04, expected: expected, isLast: isLast)
    }

    private func lags(_ lag: Double, count: Int = 13) -> [Double] { Array(repeating: lag, count: count) }

    @Test("A fragment whose lag differs is late or stepped, as those of the next half second say")
    func judgements() {
        let step = ArrivalLevel.Judgement.stepped(to: 5.3 * Self.millisecond)
        #expect(judgement([2.9]) == .usual && judgement([-2.9]) == .usual)
        #expect(judgement([5.3]) == .undecided && judgement(lags(5.3, count: 12)) == .undecided)
        #expect(judgement([5.3, 40, 0]) == .late)
        #expect(judgement(lags(27, count: 12) + [0]) == .late)
        #expect(judgement([0.1] + lags(5.3)) == .usual)
        #expect(judgement([5.3] + lags(5.3)) == step)
        #expect(judgement([5.3, 17, 5.3, 5.4, 9, 5.3] + lags(5.3)) == step)
        #expect(judgement([5.3] + lags(5.3, count: 7), isLast: true) == step)
        #expect(judgement([5.3] + lags(5.3, count: 2), isLast: true) == .doubtful)
        // A client that stays for half a second only.
        #expect(judgement([5.3] + lags(5.3, count: 8) + lags(10.6)) == step)
        #expect(judgement((0...13).map { 4 + 2 * Double($0) }) == .doubtful)
        // The first fragment of a lane.
        #expect(judgement([5.3] + lags(5.3), expected: nil) == step)
        #expect(judgement([26.6] + lags(5.3), expected: nil) == .doubtful)
    }

    @Test("A lag that is lower than any before is no late one, even if one after it is late")
    func earlier() {
        #expect(
            judgement([-5.3, -5.3, 0, -5.3, -5.3] + lags(-5.3)) == .stepped(to: -5.3 * Self.millisecond))
    }

    @Test("A lane that returns lies by the arrival of each of its first fragments as long as they agree on no place")
    func doubtfulReturn() {
        var arrivals = LaneArrivals(SimulatedLane.spec)
        for (number, lag) in [0.3, 0.1, 0.2].enumerated() {
            let time = 100 + 0.04 * Double(number + 1) + lag
            let stamp = FragmentStamp(byteCount: 320, sourceLatency: 0, arrivalTime: UInt64(time * 1e9))
            arrivals.add(stamp, isLate: false, as: .doubtful)
            #expect(abs((arrivals.lag(at: time) ?? 0) - 100 - lag) < Self.millisecond)
        }
    }
}
