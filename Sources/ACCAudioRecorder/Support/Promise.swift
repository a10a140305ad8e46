import Dispatch
import Synchronization

/// A value that is set once, by one thread, and awaited by any number of tasks and threads.
package final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([@Sendable () -> Void])
        case fulfilled(Value)
    }

    private let state = Mutex<State>(.waiting([]))

    package init() {}

    /// Sets the value and wakes all waiters; does nothing and returns false if it was already set.
    @discardableResult
    package func fulfil(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [@Sendable () -> Void]? in
            guard case .waiting(let waiting) = state else { return nil }
            state = .fulfilled(value)
            return waiting
        }
        waiting?.forEach { $0() }
        return waiting != nil
    }

    /// Waits for the value. Everything that the setting thread did before is then visible.
    var value: Value {
        get async {
            while true {
                if let value = present { return value }
                await withCheckedContinuation { continuation in
                    whenFulfilled { continuation.resume() }
                }
            }
        }
    }

    /// Waits for the value and blocks the thread: only for threads of ours.
    package func wait() -> Value {
        let isFulfilled = DispatchSemaphore(value: 0)
        while true {
            if let value = present { return value }
            whenFulfilled { isFulfilled.signal() }
            isFulfilled.wait()
        }
    }

    /// Waits for the value and blocks the thread, but not for longer than this, however the system time is set.
    ///
    /// - Returns: Nil if the value is not set by then.
    package func wait(for longest: Duration) -> Value? {
        let waker = ThreadWaker()
        whenFulfilled { waker.wake() }
        _ = waker.wait(until: MonotonicClock.now() + UInt64(longest / .nanoseconds(1)))
        return present
    }

    /// Whether the value is set.
    var isFulfilled: Bool { present != nil }

    private func whenFulfilled(_ wake: @escaping @Sendable () -> Void) {
        let isWaiting = state.withLock { state in
            guard case .waiting(let waiting) = state else { return false }
            state = .waiting(waiting + [wake])
            return true
        }
        if !isWaiting { wake() }
    }

    private var present: Value? {
        state.withLock { state in
            guard case .fulfilled(let value) = state else { return nil }
            return value
        }
    }
}
