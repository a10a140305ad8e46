import Synchronization
import TestSupport

@testable import ACCAudioRecorder

/// The stamps of a simulated delivery's fragments, one after another.
final class DeliveryStamps: Sendable {
    fileprivate struct State {
        var random: SplitMix64
        /// How many frames were captured, and when, in seconds since the beginning.
        var frame = 0
        var time = 0.0
        /// When the last fragment arrived.
        var lastArrival = 0.0
        var latency = 0.01
        var changeCount = 0
        /// The losses that the stated latency does not contain yet are those from here on, up to the present.
        var statedLosses = 0
    }

    /// How long the stated latency takes to follow a loss, and by how much it varies, in seconds: measured on both servers.
    private static let statedDelay = 2.0
    private static let statedJitter = 0.01

    /// How long the delivery of a fragment takes at most where the server starves, in lengths of the fragment; half as long on
    /// average.
    private static let starvedPace = 2.2
    /// The part of a lateness by which a starving server states a fragment too late, and the most, in seconds: measured on
    /// PulseAudio.
    static let starvedError = (share: 0.1, most: 0.1)

    private let delivery: SimulatedDelivery
    private let state: Mutex<State>

    init(_ delivery: SimulatedDelivery) {
        self.delivery = delivery
        state = Mutex(State(random: SplitMix64(seed: delivery.seed)))
    }

    /// Changes the stamp of a fragment, which the source's clock has set as if it arrived at once.
    func change(_ stamp: inout FragmentStamp, of frames: Range<Int>) {
        state.withLock { state in
            state.advance(to: frames.lowerBound, drift: delivery.drift)
            let begin = state.time
            state.advance(to: frames.upperBound, drift: delivery.drift)
            while state.changeCount < delivery.changes.count, delivery.changes[state.changeCount].time < state.time {
                state.latency = delivery.changes[state.changeCount].latency
                state.changeCount += 1
            }
            let share = Double.random(in: 0...1, using: &state.random)
            var arrival = state.time + state.latency + delivery.jitter * share * share * share
            for stall in delivery.stalls where (stall.time..<stall.time + stall.length).contains(arrival) {
                arrival = stall.time + stall.length
            }
            let isStarved = delivery.starvations.contains { ($0.time..<$0.time + $0.length).contains(arrival) }
            let pace = isStarved ? delivery.fragment * .random(in: 0...Self.starvedPace, using: &state.random) : 0
            state.lastArrival = max(state.lastArrival + pace, arrival)
            let error = min((state.lastArrival - arrival) * Self.starvedError.share, Self.starvedError.most)
            while state.statedLosses < delivery.losses.count,
                delivery.losses[state.statedLosses].isOver(by: state.time - Self.statedDelay)
            {
                state.statedLosses += 1
            }
            let unstated = delivery.losses[state.statedLosses...].prefix { $0.isOver(by: begin + 0.001) }
            let stated =
                begin - unstated.reduce(0) { $0 + $1.length } + error
                + .random(in: 0...Self.statedJitter, using: &state.random)
            stamp.arrivalTime.move(by: state.lastArrival - SimulatedDelivery.seconds(frames.upperBound))
            stamp.hostTime.move(by: stated - SimulatedDelivery.seconds(frames.lowerBound))
            stamp.changeCount = state.changeCount
            stamp.keptLength = delivery.fragment / 2
        }
    }
}

extension DeliveryStamps.State {
    /// Goes on to a frame of the source.
    fileprivate mutating func advance(to end: Int, drift: (Double) -> Double) {
        time += SimulatedDelivery.seconds(end - frame) * (1 + drift(time))
        frame = end
    }
}

extension SimulatedDelivery {
    /// The length of so many frames in seconds.
    fileprivate static func seconds(_ frames: Int) -> Double { Double(frames) / rate }
}

extension SimulatedDelivery.Span {
    fileprivate func isOver(by time: Double) -> Bool { self.time + length < time }
}

extension UInt64 {
    /// Moves a time in nanoseconds by so many seconds, which may be negative.
    fileprivate mutating func move(by seconds: Double) { self = UInt64(Int64(self) + Int64(seconds * 1e9)) }
}
