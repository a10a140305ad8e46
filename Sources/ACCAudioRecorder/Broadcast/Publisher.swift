import Synchronization

/// Sends values of one kind to any number of subscribers.
///
/// Every subscriber gets the values in the order they were sent. Any thread may send.
///
/// Lock order: `sending`, then the runtime's lock on a reader's task, then `state` and the locks of mailboxes. `state` is never
/// held while a value is delivered: see `Mailbox`.
final class Publisher<Value: Subscribable>: Sendable {
    private struct State {
        /// Replaced rather than mutated, so that a sender can iterate over the array without the lock.
        var mailboxes: [Mailbox<Value>] = []
        var isFinished = false
    }

    private let terms: DeliveryTerms
    private let state = Mutex(State())
    /// Held while a value is sent.
    private let sending = Mutex(())
    /// The number of subscribers, so that a sender can skip work that nobody would see.
    private let subscriberCount = Atomic<Int>(0)

    init(_ terms: DeliveryTerms = DeliveryTerms()) {
        self.terms = terms
    }

    /// Whether there is any subscriber.
    var hasSubscribers: Bool { subscriberCount.load(ordering: .relaxed) > 0 }

    /// Sends to a mailbox from now on. One that ends with the recording ends at once if the publisher has finished.
    ///
    /// - Parameter first: The value that it begins with.
    func add(_ mailbox: Mailbox<Value>, first: Value? = nil) {
        if let first { mailbox.send(first, terms) }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.mailboxes = state.mailboxes + [mailbox] }
            subscriberCount.store(state.mailboxes.count, ordering: .relaxed)
            return state.isFinished
        }
        if isFinished, mailbox.endsWithRecording { mailbox.finish() }
        // It may have been released just before.
        if mailbox.isReleased { forget(mailbox) }
    }

    /// Sends nothing more to a mailbox.
    func forget(_ mailbox: Mailbox<Value>) {
        state.withLock { state in
            state.mailboxes = state.mailboxes.filter { $0 !== mailbox }
            subscriberCount.store(state.mailboxes.count, ordering: .relaxed)
        }
    }

    /// Returns a subscription that ends with the recording.
    func subscribe(
        _ policy: BufferingPolicy = .newest(), mostOthers: Int = 1_000, first: Value? = nil
    ) -> Subscription<Value> {
        let mailbox = Mailbox<Value>(policy, mostOthers: mostOthers, endsWithRecording: true)
        let subscription = Subscription(mailbox) { [weak self] in self?.forget($0) }
        add(mailbox, first: first)
        return subscription
    }

    /// Sends a value to every subscriber.
    func send(_ value: Value) {
        sending.withLock { _ in
            for mailbox in state.withLock({ $0.mailboxes }) { mailbox.send(value, terms) }
        }
    }

    /// Ends the subscriptions that end with the recording, after what was sent before, and forgets the others.
    func finish() {
        sending.withLock { _ in
            let mailboxes = state.withLock { state in
                state.isFinished = true
                defer { state.mailboxes = [] }
                return state.mailboxes
            }
            subscriberCount.store(0, ordering: .relaxed)
            for mailbox in mailboxes where mailbox.endsWithRecording { mailbox.finish() }
        }
    }
}
