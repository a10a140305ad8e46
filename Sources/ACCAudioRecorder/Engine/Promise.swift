import Dispatch
import Synchronization

/// A value that one thread sets once and any number of tasks and threads wait for.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([@Sendable () -> Void])
        case fulfilled(Value)
    }

    private let state = Mutex<State>(.waiting([]))

    /// Sets the value and wakes whoever waits; false, and nothing done, where it was set before.
    @discardableResult
    func fulfil(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [@Sendable () -> Void]? in
            guard case .waiting(let waiting) = state else { return nil }
            state = .fulfilled(value)
            return waiting
        }
        waiting?.forEach { $0() }
        return waiting != nil
    }

    /// The value, as soon as it is set. What the setting thread did before is then visible.
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

    /// The value, as soon as it is set: for threads of ours, which may block.
    func wait() -> Value {
        let isFulfilled = DispatchSemaphore(value: 0)
        while true {
            if let value = present { return value }
            whenFulfilled { isFulfilled.signal() }
            isFulfilled.wait()
        }
    }

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
