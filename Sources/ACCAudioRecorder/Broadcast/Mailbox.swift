import Synchronization

/// Brings values to one subscriber, and keeps what it has not read yet. Any thread may send, any task may read; several readers
/// share the values.
///
/// A reader is never woken with the lock held: when a reader is cancelled, the runtime calls the mailbox with its lock on the task
/// held, and needs the same lock to wake the task.
final class Mailbox<Value: Subscribable>: Sendable {
    private typealias Reader = CheckedContinuation<Value?, Never>

    private struct State {
        var backlog: Backlog<Value>
        /// The readers that wait, of which there are only while there is no value.
        var readers: ArraySlice<(number: Int, continuation: Reader)> = []
        var readerCount = 0
        /// Whether a sender waits until something is read.
        var isAwaited = false
        /// Whether a sender has waited long enough; until something is read.
        var isGivenUp = false
        var isFinished = false
        var isReleased = false
    }

    /// Whether it ends with the recording, rather than with the recorder.
    let endsWithRecording: Bool
    private let policy: BufferingPolicy
    private let state: Mutex<State>
    /// Wakes the sender that waits.
    private let wasRead = ThreadWaker()

    /// - Parameters:
    ///   - mostOthers: The most values kept that are no audio.
    ///   - endsWithRecording: Whether it ends with the recording, rather than with the recorder.
    init(_ policy: BufferingPolicy = .newest(), mostOthers: Int = 1_000, endsWithRecording: Bool = false) {
        self.policy = policy
        state = Mutex(State(backlog: Backlog(mostOthers: mostOthers)))
        self.endsWithRecording = endsWithRecording
    }

    /// The next value; nil after the last one, and for a task that is cancelled.
    func next() async -> Value? {
        let number = state.withLock { state in
            state.readerCount += 1
            return state.readerCount
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (value, isReady, wakes) = state.withLock { state -> (Value?, Bool, Bool) in
                    if let value = state.backlog.popFirst() {
                        defer { (state.isAwaited, state.isGivenUp) = (false, false) }
                        return (value, true, state.isAwaited)
                    }
                    if state.isFinished || state.isReleased || Task.isCancelled { return (nil, true, false) }
                    state.readers.append((number, continuation))
                    return (nil, false, false)
                }
                if wakes { wasRead.wake() }
                if isReady { continuation.resume(returning: value) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.readers.firstIndex { $0.number == number }.map { state.readers.remove(at: $0) }
            }
            reader?.continuation.resume(returning: nil)
        }
    }

    /// Delivers a value to a reader, or keeps it. Calls must not overlap. Waits if the policy or the terms say so.
    func send(_ value: Value, _ terms: DeliveryTerms) {
        let limit = policy.rule == .dropNewest ? policy.seconds + terms.allowance : policy.seconds
        var lastRead: UInt64?
        while true {
            let patience = terms.patience(for: policy)
            let isOver = patience <= 0 || lastRead.map { Double(MonotonicClock.now() - $0) * 1e-9 >= patience } ?? false
            let (reader, isDone) = state.withLock { state -> (Reader?, Bool) in
                if let reader = state.readers.popFirst() { return (reader.continuation, true) }
                guard !state.isFinished, !state.isReleased else { return (nil, true) }
                let isFull = state.backlog.isFull(for: value, within: limit)
                if isFull, !state.isGivenUp, !isOver {
                    state.isAwaited = true
                    return (nil, false)
                }
                if isFull, policy.rule != .dropOldest {
                    state.isGivenUp = patience > 0
                    state.backlog.drop(value)
                } else {
                    state.backlog.append(value, within: limit)
                }
                return (nil, true)
            }
            reader?.resume(returning: value)
            if isDone { return }
            // In steps, because a command may shorten the patience.
            let hasRead = wasRead.wait(until: MonotonicClock.now() + 50_000_000)
            if hasRead || lastRead == nil { lastRead = MonotonicClock.now() }
        }
    }

    /// Ends it after the values that are kept.
    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.continuation.resume(returning: nil) }
    }

    /// Forgets everything, because nobody can read any more.
    func release() {
        state.withLock { state in
            state.isReleased = true
            state.backlog = Backlog()
        }
        wasRead.wake()
    }

    var isReleased: Bool { state.withLock { $0.isReleased } }
}

/// On what terms the values of a recording are delivered. Any thread may use it.
final class DeliveryTerms: Sendable {
    /// The length in seconds of what comes all at once at the beginning, and is kept beside what a policy keeps.
    let allowance: Double
    /// Whether the source waits for those who read, whatever their policy.
    private let waits: Bool
    /// Whether a command waits for the recording, so that this waits for nobody who reads nothing.
    private let isHurried = Atomic<Bool>(false)

    /// How long a recording that is hurried, or a source that waits, waits for a subscriber that reads nothing; in seconds.
    private static let limitedPatience = 2.0

    init(allowance: Double = 0, waits: Bool = false) {
        self.allowance = allowance
        self.waits = waits
    }

    func hurry(_ isHurried: Bool) {
        self.isHurried.store(isHurried, ordering: .relaxed)
    }

    /// How many seconds a sender waits for a subscriber that reads nothing while its mailbox is full.
    func patience(for policy: BufferingPolicy) -> Double {
        switch policy.rule {
        case .wait: isHurried.load(ordering: .relaxed) ? Self.limitedPatience : .infinity
        case .dropNewest: waits ? Self.limitedPatience : 0
        case .dropOldest: 0
        }
    }
}
