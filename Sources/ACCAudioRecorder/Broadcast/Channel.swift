import Synchronization

/// One kind of value, sent to any number of streams.
///
/// Values reach every stream in the order they were sent, from whichever thread.
///
/// Lock order: `sending`, then whatever the runtime takes to wake a consumer, then `state`. A consumer's
/// cancellation comes to `forget` with the runtime's lock on its task held, and waking that consumer needs the
/// same lock; so `state` is never held while a value is handed to a stream.
final class Channel<Value: Sendable>: Sendable {
    private struct State {
        /// Replaced rather than changed, so that a sender works on the array as it was.
        var subscribers: [Subscriber] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    /// Held by the one who sends.
    private let sending = Mutex(())
    /// How many streams there are, so that a sender can leave out work that nobody would see.
    private let subscriberCount = Atomic<Int>(0)
    /// Tells a value what the subscriber has missed just before it.
    private let markMissed: (@Sendable (_ value: inout Value, _ missed: Value) -> Void)?

    /// - Parameter markMissed: Called for a value whose subscriber had no room for the values just before it,
    ///   with the last of those, which has been marked itself with the one before. Needed only where streams
    ///   keep their oldest values.
    init(markMissed: (@Sendable (_ value: inout Value, _ missed: Value) -> Void)? = nil) {
        self.markMissed = markMissed
    }

    /// Whether anybody listens.
    var hasSubscribers: Bool { subscriberCount.load(ordering: .relaxed) > 0 }

    /// A new stream, which begins with `first` where that is given. It is forgotten when its consumer lets
    /// go of it, and ended at once where the channel has finished.
    func subscribe(
        buffering policy: AsyncStream<Value>.Continuation.BufferingPolicy, first: Value? = nil
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
        if let first { continuation.yield(first) }
        let subscriber = Subscriber(continuation)
        continuation.onTermination = { [weak self, weak subscriber] _ in self?.forget(subscriber) }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.subscribers = state.subscribers + [subscriber] }
            subscriberCount.store(state.subscribers.count, ordering: .relaxed)
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        return stream
    }

    /// Sends a value to every stream.
    func send(_ value: Value) {
        sending.withLock { _ in
            for subscriber in state.withLock({ $0.subscribers }) { subscriber.yield(value, markMissed) }
        }
    }

    /// Ends every stream, after what was sent before.
    func finish() {
        sending.withLock { _ in
            let subscribers = state.withLock { state in
                state.isFinished = true
                defer { state.subscribers = [] }
                return state.subscribers
            }
            subscriberCount.store(0, ordering: .relaxed)
            for subscriber in subscribers { subscriber.finish() }
        }
    }

    private func forget(_ subscriber: Subscriber?) {
        state.withLock { state in
            state.subscribers = state.subscribers.filter { $0 !== subscriber }
            subscriberCount.store(state.subscribers.count, ordering: .relaxed)
        }
    }

    /// The near end of a stream.
    ///
    /// `@unchecked Sendable`: `missed` is touched by the one who sends, and the channel's lock makes that one.
    private final class Subscriber: @unchecked Sendable {
        private let continuation: AsyncStream<Value>.Continuation
        /// The newest of the values in a row that there was no room for, which accounts for those before it.
        private var missed: Value?

        init(_ continuation: AsyncStream<Value>.Continuation) {
            self.continuation = continuation
        }

        func yield(_ value: Value, _ markMissed: ((inout Value, Value) -> Void)?) {
            var value = value
            if let missed { markMissed?(&value, missed) }
            if case .dropped(let dropped) = continuation.yield(value), markMissed != nil {
                missed = dropped
            } else {
                missed = nil
            }
        }

        func finish() {
            continuation.finish()
        }
    }
}
