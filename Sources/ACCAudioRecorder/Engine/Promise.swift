import Synchronization

/// A value that one thread sets once and any number of tasks wait for.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Void, Never>])
        case fulfilled(Value)
    }

    private let state = Mutex<State>(.waiting([]))

    /// Sets the value and wakes whoever waits; false, and nothing done, where it was set before.
    @discardableResult
    func fulfil(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            guard case .waiting(let continuations) = state else { return nil }
            state = .fulfilled(value)
            return continuations
        }
        waiting?.forEach { $0.resume() }
        return waiting != nil
    }

    /// The value, as soon as it is set. What the setting thread did before is then visible.
    var value: Value {
        get async {
            while true {
                if let value = present { return value }
                await withCheckedContinuation { continuation in
                    let isWaiting = state.withLock { state in
                        guard case .waiting(let continuations) = state else { return false }
                        state = .waiting(continuations + [continuation])
                        return true
                    }
                    if !isWaiting { continuation.resume() }
                }
            }
        }
    }

    private var present: Value? {
        state.withLock { state in
            guard case .fulfilled(let value) = state else { return nil }
            return value
        }
    }
}
