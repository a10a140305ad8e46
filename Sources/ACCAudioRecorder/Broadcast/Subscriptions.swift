import Synchronization

/// The subscriptions of a recorder, which live across its recordings.
///
/// Nothing is delivered with its lock held: see `Mailbox`.
final class Subscriptions: Sendable {
    /// One subscription, whatever it gets.
    private struct Member: Sendable {
        /// That of its buffers; nil if it gets none.
        let format: BufferFormat?
        let join: @Sendable (RecordingBroadcast) -> Void
        let leave: @Sendable (RecordingBroadcast) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        var members: [ObjectIdentifier: Member] = [:]
        /// That of the current recording; nil without one.
        var broadcast: RecordingBroadcast?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Returns a new subscription to the audio.
    ///
    /// - Throws: `audioFormatCreationFailed` if the current recording has no channels of the format's input.
    func audio(
        _ format: BufferFormat, _ policy: BufferingPolicy
    ) throws(ACCAudioRecorderError) -> Subscription<RecordedAudio> {
        try state.withLock { $0.broadcast }?.check(format)
        return add(Mailbox(policy), format) { $0.audio(in: format) }
    }

    /// Returns a new subscription to the levels.
    func levels(_ policy: BufferingPolicy) -> Subscription<RecordingLevels> {
        add(Mailbox(policy)) { $0.levels }
    }

    /// Returns a new subscription to the events.
    func events() -> Subscription<RecordingEvent> {
        add(Mailbox()) { $0.events }
    }

    /// Returns a new subscription to the state, which gets the current one at once.
    func states() -> Subscription<RecordingState> {
        let mailbox = Mailbox<RecordingState>(mostOthers: 1)
        mailbox.send(.idle, DeliveryTerms())
        return add(mailbox, nil, join: { $0.sendStates(to: mailbox) }) { $0.states }
    }

    private func add<Value>(
        _ mailbox: Mailbox<Value>, _ format: BufferFormat? = nil,
        join: (@Sendable (RecordingBroadcast) -> Void)? = nil,
        of publisher: @escaping @Sendable (RecordingBroadcast) -> Publisher<Value>
    ) -> Subscription<Value> {
        let member = Member(
            format: format, join: join ?? { publisher($0).add(mailbox) }, leave: { publisher($0).forget(mailbox) },
            finish: { mailbox.finish() })
        let id = ObjectIdentifier(mailbox)
        let (broadcast, isClosed) = state.withLock { state in
            state.members[id] = member
            return (state.broadcast, state.isClosed)
        }
        if let broadcast { member.join(broadcast) }
        if isClosed { member.finish() }
        return Subscription(mailbox) { [weak self] _ in self?.remove(id) }
    }

    private func remove(_ id: ObjectIdentifier) {
        let (member, broadcast) = state.withLock { ($0.members.removeValue(forKey: id), $0.broadcast) }
        if let broadcast { member?.leave(broadcast) }
    }

    /// Begins a recording, which all subscriptions get from now on.
    ///
    /// - Throws: `audioFormatCreationFailed` if the recording has no channels of an input that one of them asks for.
    func begin(_ broadcast: RecordingBroadcast) throws(ACCAudioRecorderError) {
        for member in state.withLock({ $0.members.values }) {
            if let format = member.format { try broadcast.check(format) }
        }
        let members = state.withLock { state in
            state.broadcast = broadcast
            return state.members.values
        }
        for member in members { member.join(broadcast) }
    }

    /// Ends a recording, whose streams have ended.
    func end(_ broadcast: RecordingBroadcast) {
        state.withLock { state in
            if state.broadcast === broadcast { state.broadcast = nil }
        }
    }

    /// Ends all subscriptions, after what was sent.
    func close() {
        let members = state.withLock { state in
            state.isClosed = true
            return state.members.values
        }
        for member in members { member.finish() }
    }
}
