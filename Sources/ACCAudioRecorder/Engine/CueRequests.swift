import Synchronization

/// What users have asked for and the engine has not come to yet. Any thread.
final class CueRequests: Sendable {
    private let waiting = Mutex<[CueRequest]>([])
    /// So that the engine takes no lock where nobody asked for anything.
    private let count = Atomic<Int>(0)

    func add(_ request: CueRequest) {
        waiting.withLock { waiting in
            waiting.append(request)
            count.store(waiting.count, ordering: .relaxed)
        }
    }

    /// Takes those that were made before this moment, in CLOCK_MONOTONIC nanoseconds, in their order.
    ///
    /// - Parameter isWanted: Which of them.
    func take(before hostTime: UInt64, where isWanted: (CueRequest) -> Bool = { _ in true }) -> [CueRequest] {
        guard count.load(ordering: .relaxed) > 0 else { return [] }
        return waiting.withLock { waiting in
            let isDue = { (request: CueRequest) in request.hostTime < hostTime && isWanted(request) }
            let due = waiting.filter(isDue)
            waiting.removeAll(where: isDue)
            count.store(waiting.count, ordering: .relaxed)
            return due
        }
    }
}
