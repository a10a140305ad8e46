import Synchronization

@testable import AccrecCommands

/// Clocks that advance only while something waits by them, so that a wait of days takes no time. The boot time begins
/// with 0.
final class SimulatedClocks: Sendable {
    enum Event: Equatable {
        /// The wall clock is set forward by this many seconds, or back.
        case set(by: Int)
        /// The user starts the take that waits.
        case start
        /// The user ends the wait or the take.
        case end
    }

    private struct State {
        var now: ClockReading
        var events: [(time: Int, event: Event)]
        /// What the user has done last.
        var request: Event?
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - wallTime: The first wall-clock time, in seconds since 1970.
    ///   - events: What happens, at which boot times, in order.
    init(_ wallTime: Int, _ events: [(time: Int, event: Event)] = []) {
        state = Mutex(State(now: ClockReading(wallTime: Double(wallTime), bootTime: 0), events: events))
    }

    var now: ClockReading { state.withLock { $0.now } }

    /// The clocks for an appointment. What the user does cancels the task that waits.
    var clock: Schedule.Clocks {
        Schedule.Clocks(now: { self.now }) { seconds in
            precondition(seconds > 0, "a wait that never ends")
            if self.advance(by: seconds) != nil { withUnsafeCurrentTask { $0?.cancel() } }
        }
    }

    /// Waits until some seconds before an appointment.
    ///
    /// - Returns: What the user has done meanwhile, which has ended the wait.
    func wait(for appointment: Appointment, lead: Double = 0) async -> Event? {
        state.withLock { $0.request = nil }
        await Task { await appointment.wait(lead: lead, by: clock) }.value
        return state.withLock { $0.request }
    }

    /// Lets time pass, until the user does something.
    ///
    /// - Returns: What the user has done.
    func advance(by seconds: Double) -> Event? {
        state.withLock { state in
            let end = state.now.bootTime + seconds
            while let next = state.events.first, Double(next.time) <= end {
                state.events.removeFirst()
                state.now = state.now.later(by: Double(next.time) - state.now.bootTime)
                guard case .set(let shift) = next.event else {
                    state.request = next.event
                    return next.event
                }
                state.now = ClockReading(
                    wallTime: state.now.wallTime + Double(shift), bootTime: state.now.bootTime)
            }
            state.now = state.now.later(by: end - state.now.bootTime)
            return nil
        }
    }
}
