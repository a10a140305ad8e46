import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Two lanes over days, whose clocks differ.
// They have one thread and no pointers.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct LaneClockTests {
    private static let day = 86_400.0
    private static let millisecond = 1e-3

    /// Drifts by so many parts per million.
    private static func steady(_ ppm: Double) -> @Sendable (Double) -> Double { { _ in ppm * 1e-6 } }

    /// Drifts by so many parts per million, and by more in every other five minutes.
    private static func stepping(_ ppm: Double, by step: Double) -> @Sendable (Double) -> Double {
        { (Int($0 / 300).isMultiple(of: 2) ? ppm : ppm + step) * 1e-6 }
    }

    /// Wanders over minutes and hours, by up to 130 ppm.
    private static let wandering: @Sendable (Double) -> Double = { 100e-6 * sin($0 / 1_700) + 30e-6 * sin($0 / 230) }

    private func simulate(
        _ first: @escaping (Double) -> Double, _ lane: @escaping (Double) -> Double,
        until end: Double = day, trace: String? = nil
    ) throws -> LaneSimulation {
        let lateness = try trace.map { try SimulatedLane.lateness(of: $0) }
        var simulation = LaneSimulation(
            SimulatedLane(seed: 1, lateness: lateness, drift: first),
            SimulatedLane(seed: 2, latency: 0.035, lateness: lateness, drift: lane))
        simulation.run(until: end)
        return simulation
    }

    /// Expects that the lane was where it belongs, that the ratio was within its bounds, and that time was continuous.
    ///
    /// - Parameters:
    ///   - worst: The largest error in seconds.
    ///   - ppm: The largest deviation of the clocks.
    private func expect(_ simulation: LaneSimulation, worst: Double = millisecond, ppm: Double) {
        #expect(simulation.median <= 0.25 * Self.millisecond)
        #expect(simulation.worst <= worst)
        #expect(simulation.largestDrift < (ppm + 100) * 1e-6)
        #expect(simulation.largestChange <= LaneClock.largestChange * 1.001)
        #expect(simulation.largestJump < 1e-9)
    }

    @Test(
        "A lane stays in its place for a day, whatever the difference of the clocks",
        arguments: [0.0, 20, -20, 100, -100, 500, -500])
    func steadyDrift(ppm: Double) throws {
        let simulation = try simulate(Self.steady(0), Self.steady(ppm))
        expect(simulation, ppm: abs(ppm))
        #expect(abs(simulation.clock.ppm - ppm) < 15)
        // Half of what each lane states of five fragments together lies within 3 ms.
        #expect((0.001...0.005).contains(simulation.clock.uncertainty))
    }

    @Test("Clocks that wander are followed")
    func wandering() throws {
        expect(try simulate(Self.steady(-50), Self.wandering), ppm: 180)
    }

    @Test("A clock that jumps by 200 ppm is followed as fast as the ratio may change", arguments: [true, false])
    func steps(isFirst: Bool) throws {
        let stepping = Self.stepping(-100, by: 200)
        let simulation =
            isFirst ? try simulate(stepping, Self.steady(0)) : try simulate(Self.steady(0), stepping)
        // At 20 ppm a second it takes ten seconds to follow, in which 1 ms gathers; and a second passes before it is seen.
        expect(simulation, worst: 1.75 * Self.millisecond, ppm: 150)
    }

    // PulseAudio's arrivals rise by 10 ms and fall back, and the lowest lag of ten seconds follows the clock later.
    @Test(
        "Arrivals as recorded from servers, for six hours",
        arguments: [("pipewire", 1 * millisecond), ("pulseaudio", 1.75 * millisecond)])
    func recordedArrivals(server: String, worst: Double) throws {
        expect(
            try simulate(Self.steady(0), Self.wandering, until: Self.day / 4, trace: "undisturbed-\(server)"),
            worst: worst, ppm: 130)
    }

    @Test("A loss that was found moves nothing")
    func loss() throws {
        var simulation = try simulate(Self.steady(0), Self.steady(100), until: 600)
        simulation.lose(0.2, found: 0.2)
        simulation.run(until: 900)
        expect(simulation, ppm: 100)
    }

    @Test("A loss whose length was measured inexactly is corrected by what is stated", arguments: [-0.005, 0.005])
    func inexactLoss(error: Double) throws {
        var simulation = try simulate(Self.steady(0), Self.steady(100), until: 600)
        simulation.lose(0.2, found: 0.2 + error)
        simulation.run(until: 900)
        expect(simulation, worst: 5.2 * Self.millisecond, ppm: 100)
        #expect(abs(simulation.latestError) <= 0.25 * Self.millisecond)
    }

    // As PipeWire does with two cycles on a busy machine, without a hole in the stream.
    @Test("Audio that a server loses again and again without a word moves the lane, and is never taken for its clock")
    func silentLosses() throws {
        var simulation = try simulate(Self.steady(0), Self.steady(100), until: 600)
        for time in stride(from: 600.0, to: 1_200, by: 40) {
            simulation.lose(0.043, found: 0)
            simulation.run(until: time + 40)
            // As exact as one median of what is stated.
            #expect(abs(simulation.latestError) < 0.003)
        }
        #expect(simulation.worst < 0.05)
        #expect(simulation.largestDrift < 450e-6)
    }

    // As when another client comes or goes.
    @Test("A server that delivers later or earlier from now on moves nothing", arguments: [-0.03, 0.03])
    func latency(change: Double) throws {
        var simulation = try simulate(Self.steady(0), Self.steady(100), until: 600)
        simulation.lane.latency += change
        simulation.run(until: 640)
        #expect(simulation.clock.uncertainty > abs(change) / 2)
        simulation.run(until: 900)
        expect(simulation, ppm: 100)
        #expect(simulation.clock.uncertainty < 0.01)
    }

    @Test("Fragments that are known to be late tell nothing")
    func lateness() {
        var arrivals = LaneArrivals(SimulatedLane.spec)
        var lane = SimulatedLane(seed: 1, latency: 0.5, drift: Self.steady(0))
        for _ in 0..<50 { arrivals.add(lane.next().stamp, isLate: true) }
        #expect(arrivals.floorCount == 0 && arrivals.seconds == 10)
        lane.latency = 0.02
        for _ in 0..<50 { arrivals.add(lane.next().stamp, isLate: false) }
        #expect(arrivals.lag(at: 120).map { abs($0 - 100.02) < 0.001 } ?? false)
    }

    @Test("A lane that was away for five minutes is placed again at once")
    func away() throws {
        var simulation = try simulate(Self.steady(0), Self.steady(100), until: 600)
        simulation.leave(for: 300)
        simulation.run(until: 1_200)
        expect(simulation, ppm: 100)
        #expect(simulation.errors.count > 885)
    }

    @Test("While the first lane is away, time goes on at its last rate, and it comes back into it")
    func firstAway() throws {
        var simulation = try simulate(Self.steady(70), Self.steady(-30), until: 600)
        simulation.firstLeaves()
        simulation.run(until: 900)
        simulation.firstReturns()
        simulation.run(until: 1_200)
        expect(simulation, ppm: 100)
        #expect(abs(simulation.firstArrivals.seconds - 1_200) < 1)
    }

    @Test("A lane that never delivers has no place")
    func absent() {
        var clock = LaneClock()
        var first = SimulatedLane(seed: 1, drift: Self.steady(0))
        var firstArrivals = LaneArrivals(SimulatedLane.spec)
        let arrivals = LaneArrivals(SimulatedLane.spec)
        for _ in 0..<100 {
            firstArrivals.add(first.next().stamp, isLate: false)
            clock.follow(arrivals, on: firstArrivals)
        }
        #expect(!clock.isPlaced)
        #expect(clock.time(after: 0) == nil)
    }
}
