import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Two lanes over hours, of a server that is asked for its timing with each fragment.
// They have one thread and no pointers.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct StatedLaneTests {
    private typealias Course = @Sendable (Double) -> Double

    private static let hour = 3_600.0
    private static let millisecond = 1e-3
    private static let none: Course = { _ in 0 }

    private static func steady(_ ppm: Double) -> Course { { _ in ppm * 1e-6 } }

    private static let wandering: Course = { 100e-6 * sin($0 / 1_700) + 30e-6 * sin($0 / 230) }

    /// What is stated is too much by so many seconds for some seconds, again and again, or rises to that and falls back at once.
    private static func disturbance(_ size: Double, for length: Double, every period: Double, rises: Bool = false)
        -> Course
    {
        { time in
            let since = (time - 100).truncatingRemainder(dividingBy: period)
            guard time > 100, since < length else { return 0 }
            return rises ? size * since / length : size
        }
    }

    private func simulate(
        _ drift: @escaping Course, first: @escaping Course = none, stated: @escaping Course = none,
        firstStated: @escaping Course = none, until end: Double = hour
    ) -> LaneSimulation {
        var simulation = LaneSimulation(
            SimulatedLane(seed: 1, drift: first, statedError: firstStated),
            SimulatedLane(seed: 2, latency: 0.035, drift: drift, statedError: stated))
        simulation.run(until: end)
        return simulation
    }

    /// Expects that the lane was where it belongs, and that time was continuous.
    private func expect(_ simulation: LaneSimulation, worst: Double = millisecond) {
        #expect(simulation.median <= 0.25 * Self.millisecond)
        #expect(simulation.worst <= worst)
        #expect(simulation.largestChange <= LaneClock.largestChange * 1.001)
        #expect(simulation.largestJump < 1e-9)
    }

    @Test(
        "A lane stays in its place, whatever the difference of the clocks",
        arguments: [0.0, 20, -20, 100, -100, 500, -500])
    func steadyDrift(ppm: Double) {
        let simulation = simulate(Self.steady(ppm), until: 3 * Self.hour)
        expect(simulation)
        #expect(abs(simulation.clock.ppm - ppm) < 25)
        #expect(simulation.clock.uncertainty < Self.millisecond)
    }

    // As stated after pauses and suspensions: the first answers lie anywhere, and others 10 ms too early.
    @Test(
        "A lane that goes on lies from its first fragment on where the server's right answers do",
        arguments: [
            [-17.4, -3.9, -4, 0, 0, -9.6, 0, 0, -9.6, 0], [2, -0.5, -0.6, 0, 0, -9.7, 0],
            [-6.6, -6.5, 0, 0.1, -9.7, 0, 0.1],
            [0, 0, -9.7, 0, 0, -9.7, 0], [0, -9.7, -9.7, 0.1, -9.7, -9.7, 0], [-13.6, 0, -7.2, 0, 0, -9.7, 0],
        ])
    func firstAnswers(errors: [Double]) throws {
        let stamps = errors.enumerated().map { number, error in
            FragmentStamp(
                byteCount: 320, hostTime: UInt64((100 + 0.04 * Double(number) + error * Self.millisecond) * 1e9),
                isAsked: true, arrivalTime: UInt64((100.06 + 0.04 * Double(number)) * 1e9))
        }
        var arrivals = LaneArrivals(SimulatedLane.spec)
        #expect(arrivals.judge(stamps[..<6], isLast: false) == .undecided)
        for number in stamps.indices {
            arrivals.add(stamps[number], isLate: false, as: arrivals.judge(stamps[number...], isLast: false))
            #expect(try abs(#require(arrivals.lag(at: 100)) - 100) < 0.2 * Self.millisecond)
        }
    }

    @Test("Clocks that wander are followed")
    func wandering() {
        expect(simulate(Self.wandering, first: Self.steady(-50), until: 3 * Self.hour))
    }

    @Test("A clock that jumps by 200 ppm is followed as fast as the ratio may change", arguments: [true, false])
    func steps(isFirst: Bool) {
        let stepping: Course = { (Int($0 / 300).isMultiple(of: 2) ? -100 : 100) * 1e-6 }
        let simulation = isFirst ? simulate(Self.none, first: stepping) : simulate(stepping)
        // At 20 ppm a second it takes ten seconds to follow, in which 1 ms gathers; and two seconds pass before it is seen.
        expect(simulation, worst: 1.75 * Self.millisecond)
    }

    @Test(
        "What is stated wrongly for a while moves nothing",
        arguments: [-0.017, -0.008, -0.003, 0.003, 0.008, 0.017, 0.027],
        [5.0, 25])
    func bursts(size: Double, length: Double) {
        let burst = Self.disturbance(size, for: length, every: 130)
        expect(simulate(Self.wandering, stated: burst))
        expect(simulate(Self.wandering, firstStated: burst))
    }

    // PulseAudio states so of a sink's monitor, as long as blocks and fragments differ.
    @Test(
        "Stated times that rise or fall faster than a clock move next to nothing",
        arguments: [-0.017, -0.008, 0.008, 0.017])
    func ramps(size: Double) {
        let ramp = Self.disturbance(size, for: 15, every: 200, rises: true)
        expect(simulate(Self.steady(30), stated: ramp))
        expect(simulate(Self.steady(30), firstStated: ramp))
    }

    @Test("Stated times that rise or fall like a clock are followed, and left again", arguments: [-0.003, 0.003])
    func slowRamps(size: Double) {
        let ramp = Self.disturbance(size, for: 15, every: .infinity, rises: true)
        var simulation = simulate(Self.steady(30), stated: ramp, until: 160)
        #expect(simulation.worst <= 6 * Self.millisecond)
        simulation.settledTime = 160
        simulation.run(until: 300)
        #expect(abs(simulation.latestError) <= 0.25 * Self.millisecond)
    }

    @Test("What is stated in the first two seconds counts for nothing", arguments: [-0.641, -0.165, 0.165, 0.641])
    func beginning(size: Double) {
        let begin: Course = { $0 < 2 ? size : 0 }
        expect(simulate(Self.steady(50), stated: begin, until: 600))
        expect(simulate(Self.steady(50), firstStated: begin, until: 600))
    }

    @Test("A loss whose length was measured inexactly is corrected by what is stated", arguments: [-0.005, 0.005])
    func inexactLoss(error: Double) {
        var simulation = simulate(Self.steady(100), until: 600)
        simulation.lose(0.2, found: 0.2 + error)
        simulation.run(until: 720)
        #expect(simulation.worst <= 5.5 * Self.millisecond)
        #expect(abs(simulation.latestError) <= 0.25 * Self.millisecond)
    }

    @Test("A loss that nobody has found is made up for once it was stated for long enough", arguments: [true, false])
    func unfoundLoss(isFirst: Bool) {
        var simulation = simulate(Self.steady(100), until: 600)
        simulation.lose(0.027, found: 0, ofFirst: isFirst)
        simulation.run(until: 640)
        #expect(simulation.worst <= 28 * Self.millisecond)
        #expect(abs(simulation.latestError) <= 0.5 * Self.millisecond)
    }

    @Test("A server that delivers later or earlier from now on moves nothing", arguments: [-0.03, 0.03])
    func latency(change: Double) {
        var simulation = simulate(Self.steady(100), until: 600)
        simulation.lane.latency += change
        simulation.run(until: 900)
        expect(simulation)
    }

    @Test("A lane that was away for five minutes is placed again at once")
    func away() {
        var simulation = simulate(Self.steady(100), until: 600)
        simulation.leave(for: 300)
        simulation.run(until: 1_200)
        expect(simulation)
    }
}
