import Glibc
import Synchronization

/// Sends values of one kind to any number of streams.
///
/// Every stream gets the values in the order they were sent. Any thread may send.
///
/// Lock order: `sending`, then the runtime's lock on the consumer's task, then `state`. When a consumer is cancelled,
/// the runtime calls `forget` with its lock on the task held, and needs the same lock to wake the consumer. So `state`
/// is never held while a value is yielded to a stream.
final class Publisher<Value: Sendable>: Sendable {
    private struct State {
        /// Replaced rather than mutated, so that a sender can iterate over the array without the lock.
        var subscribers: [Subscriber] = []
        var isFinished = false
    }

    /// How long a sender sleeps, in microseconds, before it tries again to send to a subscriber that is behind.
    private static var pollInterval: UInt32 { 200 }

    private let state = Mutex(State())
    /// Held while a value is sent.
    private let sending = Mutex(())
    /// The number of streams, so that a sender can skip work that nobody would see.
    private let subscriberCount = Atomic<Int>(0)
    /// Adds the values that a subscriber missed to the next value it gets.
    private let markMissed: (@Sendable (_ value: inout Value, _ missed: Value) -> Void)?

    /// How long a sender waits for a subscriber whose buffer is full. After one that has read nothing for so long, values
    /// are dropped until it reads again.
    private let patience: Duration

    /// - Parameters:
    ///   - patience: How long a sender waits for a subscriber that reads nothing while its buffer is full. Above 0 only for
    ///     streams that keep their oldest values.
    ///   - markMissed: Called with a value and the one dropped just before it because the subscriber's buffer
    ///     was full. The dropped value was itself marked with the one dropped before it. Needed only for streams that
    ///     keep their oldest values.
    init(
        patience: Duration = .zero, markMissed: (@Sendable (_ value: inout Value, _ missed: Value) -> Void)? = nil
    ) {
        self.patience = patience
        self.markMissed = markMissed
    }

    /// Whether there is any subscriber.
    var hasSubscribers: Bool { subscriberCount.load(ordering: .relaxed) > 0 }

    /// Returns a new stream, which begins with `first` if that is given. The publisher drops it when its consumer
    /// releases it. A stream of a publisher that has finished ends at once.
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
            for subscriber in state.withLock({ $0.subscribers }) { subscriber.yield(value, patience, markMissed) }
        }
    }

    /// Ends every stream, after delivering what was sent before.
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

    /// The sending end of a stream.
    ///
    /// `@unchecked Sendable`: `missed` is used only while the channel's `sending` lock is held.
    private final class Subscriber: @unchecked Sendable {
        private let continuation: AsyncStream<Value>.Continuation
        /// The latest of the values just dropped, marked with those dropped before it.
        private var missed: Value?

        init(_ continuation: AsyncStream<Value>.Continuation) {
            self.continuation = continuation
        }

        func yield(_ value: Value, _ patience: Duration, _ markMissed: ((inout Value, Value) -> Void)?) {
            var value = value
            if let missed { markMissed?(&value, missed) }
            var result = continuation.yield(value)
            if case .dropped = result, missed == nil, patience > .zero {
                let end = ContinuousClock.now + patience
                while case .dropped = result, .now < end {
                    // A stream does not tell when its buffer has room again, so the sender can only ask.
                    usleep(Publisher.pollInterval)
                    result = continuation.yield(value)
                }
            }
            if case .dropped(let dropped) = result, markMissed != nil {
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
