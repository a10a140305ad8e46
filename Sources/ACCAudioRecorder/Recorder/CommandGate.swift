/// Lets the recorder's commands through one at a time, in the order they came, although each of them
/// waits for servers and threads in between.
struct CommandGate {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the gate, or says that the caller has to queue.
    mutating func tryEnter() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// Queues a caller, who holds the gate when it is resumed.
    mutating func queue(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Gives the gate to the next in the queue, if there is one.
    mutating func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
