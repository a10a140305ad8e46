/// Admits the recorder's commands one at a time, in the order of their calls, although each suspends while it waits for
/// servers and threads.
struct CommandGate {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the gate; false if the caller has to queue.
    mutating func tryEnter() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// Queues a caller, which holds the gate when it is resumed.
    mutating func queue(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Passes the gate to the next caller in the queue, if any.
    mutating func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
