import Synchronization

/// What the inputs of an application's streams have in common.
final class PlaybackGroup: Sendable {
    /// Wakes whoever takes what they deliver.
    let consumer: ThreadWaker
    private let sounded: Atomic<Bool>
    private let isConnectionClaimed = Atomic<Bool>(false)

    init(consumer: ThreadWaker, hasSounded: Bool) {
        self.consumer = consumer
        sounded = Atomic(hasSounded)
    }

    /// Whether the first sound has come; until then, silence is not captured.
    var hasSounded: Bool {
        get { sounded.load(ordering: .relaxed) }
        set { sounded.store(newValue, ordering: .relaxed) }
    }

    /// Claims the connection of all of them for the stream of one.
    ///
    /// - Returns: Whether no other one has it.
    func claimConnection() -> Bool { !isConnectionClaimed.exchange(true, ordering: .relaxed) }

    func releaseConnection() { isConnectionClaimed.store(false, ordering: .relaxed) }
}
