import Synchronization

/// A request to end a segment whose input goes on. Any thread may use it.
final class EndRequest: Sendable {
    enum State: Int, AtomicRepresentable {
        case none
        /// The segment ends at a time.
        case requested
        /// It ends at that time, or with what has arrived until now.
        case due
    }

    private let time = Atomic<UInt64>(.max)
    private let current = Atomic<State>(.none)

    var state: State { current.load(ordering: .acquiring) }

    /// After which time no frame is recorded, in CLOCK_MONOTONIC nanoseconds; nil without a request.
    var hostTime: UInt64? { state == .none ? nil : time.load(ordering: .relaxed) }

    /// - Parameter hostTime: In CLOCK_MONOTONIC nanoseconds.
    func request(after hostTime: UInt64, isDue: Bool) {
        time.store(hostTime, ordering: .relaxed)
        current.store(isDue ? .due : .requested, ordering: .releasing)
    }
}
