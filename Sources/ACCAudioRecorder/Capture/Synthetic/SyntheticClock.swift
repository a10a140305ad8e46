import Synchronization

/// A clock that moves only when a test moves it, for a ``SyntheticSource`` and for whatever else the test times by it.
///
/// Any thread may call.
public final class SyntheticClock: Clock {
    /// A time of the clock.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created.
        public let elapsed: Duration

        /// The time that is so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(elapsed: elapsed + duration) }

        /// How much later the other time is.
        public func duration(to other: Instant) -> Duration { other.elapsed - elapsed }

        /// Whether a time is before another.
        public static func < (earlier: Instant, later: Instant) -> Bool { earlier.elapsed < later.elapsed }
    }

    private struct Sleeper {
        let number: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(elapsed: .zero)
        var sleepers: [Sleeper] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Creates a clock at the time 0.
    public init() {}

    /// The time until which the clock was moved.
    public var now: Instant { state.withLock { $0.now } }

    /// The number of tasks that sleep by the clock.
    var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// A nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock, and wakes up whoever sleeps until the new time or before, in the order of their deadlines.
    ///
    /// - Parameter duration: At least 0.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: max(duration, .zero))
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due
        }
        for sleeper in due.sorted(by: { $0.deadline < $1.deadline }) { sleeper.continuation.resume() }
    }

    /// Waits until the clock has been moved to a time.
    ///
    /// - Parameters:
    ///   - deadline: The time; returns at once if it is not later than `now`.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers.append(Sleeper(number: number, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let cancelled = state.withLock { state in
                state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            cancelled?.continuation.resume(throwing: CancellationError())
        }
    }
}

extension SyntheticClock: Hashable {
    /// Whether both are the same clock.
    public static func == (first: SyntheticClock, second: SyntheticClock) -> Bool { first === second }

    /// Hashes the clock's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
