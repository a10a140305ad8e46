import Testing

@testable import ACCAudioRecorder

/// Two lanes of a server that states what its sources keep (PipeWire), whose arrivals are steady. Without `ArrivalLevel`, each test
/// of a loss fails: the lowest lag of ten seconds hides the step.
// They have one thread and no pointers.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct ArrivalLevelTests {
    private static let millisecond = 1e-3
    /// A cycle of 256 frames.
    private static let cycle = 256.0 / 48_000
    /// A step is seen in two quarters of a second after the one that it lies in; fragments of the simulation have 0.2 s.
    private static let seen = 1.25
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

    @Test("A loss that nobody has found is made up for within a second", arguments: [true, false], [1.0, 2, 11])
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

    @Test("A fragment that waits for the end of a cycle from now on is no loss", arguments: [true, false])
    func surplus(isFirst: Bool) {
        var simulation = simulate()
        simulation.lose(Self.cycle, found: 0, ofFirst: isFirst)
        if isFirst { simulation.first.surplus = Self.cycle } else { simulation.lane.surplus = Self.cycle }
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

    @Test("A lane that is late for less than a second moves nothing")
    func late() {
        var simulation = simulate()
        simulation.settledTime = 100
        for late in [0.02, 0.035, 0.027] {
            simulation.lane.latency += late
            simulation.run(until: simulation.lane.time + 0.3)
            simulation.lane.latency -= late
            simulation.run(until: simulation.lane.time + 3)
        }
        #expect(simulation.worst < Self.millisecond)
    }

    /// What each quarter of a second tells whose lowest lag is so many milliseconds, where 0 were expected.
    private func changes(_ lags: [Double?]) -> [ArrivalLevel.Change] {
        var level = ArrivalLevel()
        return lags.enumerated().map { number, lag in
            let time = Double(number) * ArrivalLevel.length
            if let lag {
                for late in [3.0, 0, 12] {
                    level.add(LagPoint(time: time, lag: (lag + late) * Self.millisecond), drift: 0, surplus: 0)
                }
            }
            return level.endQuarter(at: time, drift: 0) { _ in 0 }
        }
    }

    @Test("Two quarters of a second that agree are a step, others are doubtful for three seconds")
    func quarters() {
        #expect(changes([0, 0.5, 2.9, -2.9, 0]) == [.none, .none, .none, .none, .none])
        #expect(changes([0, 5.3, 5.4]) == [.none, .doubtful, .stepped])
        #expect(changes([0, -5.3, nil, -5.4]) == [.none, .doubtful, .doubtful, .stepped])
        #expect(changes([0, 5.3, 0, 5.3]) == [.none, .doubtful, .none, .doubtful])
        let wandering = changes([0] + (1...16).map { Double(4 + 2 * $0) })
        #expect(wandering == [.none] + Array(repeating: .doubtful, count: 12) + Array(repeating: .none, count: 4))
    }
}
