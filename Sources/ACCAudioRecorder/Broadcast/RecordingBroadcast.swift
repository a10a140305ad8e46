import Synchronization

/// One recording, many subscribers: what the engine and the recorder have to say, and to whom.
final class RecordingBroadcast: Sendable {
    let buffers = Channel<AudioBufferData>(markMissed: {
        $0.missedFrameLength += $1.missedFrameLength + Int($1.frameLength)
    }
    )
    let levels = Channel<RecordingLevels>()
    let events = Channel<RecordingEvent>()
    private let bufferCapacity: Int
    private let histories = Channel<[Float]>()
    private let states = Channel<RecordingState>()

    private let history = Mutex(LevelHistory())
    private let state = Mutex(RecordingState.idle)

    /// - Parameter bufferCapacity: How many buffers wait for a subscriber that does not read.
    init(bufferCapacity: Int) {
        self.bufferCapacity = bufferCapacity
    }

    /// A new subscription, which is given the current history and state at once.
    func subscribe() -> RecordingStreams {
        RecordingStreams(
            buffers: buffers.subscribe(buffering: .bufferingOldest(bufferCapacity)),
            audioLevelHistory: history.withLock {
                histories.subscribe(buffering: .bufferingNewest(1), first: $0.levels.isEmpty ? nil : $0.levels)
            },
            state: state.withLock { states.subscribe(buffering: .bufferingNewest(1), first: $0) },
            levels: levels.subscribe(buffering: .bufferingNewest(1)),
            events: events.subscribe(buffering: .bufferingNewest(1000)))
    }

    /// Takes the level of a buffer into the history.
    func append(level: Float) {
        history.withLock { history in
            history.append(level)
            if histories.hasSubscribers { histories.send(history.levels) }
        }
    }

    /// Whether anybody follows the recording as it goes on.
    var isFollowed: Bool {
        buffers.hasSubscribers || levels.hasSubscribers || histories.hasSubscribers || states.hasSubscribers
    }

    /// Whether anybody follows the state.
    var hasStateSubscribers: Bool { states.hasSubscribers }

    /// Tells the state, whether it changed or just went on.
    func send(state newState: RecordingState) {
        state.withLock { state in
            state = newState
            states.send(newState)
        }
    }

    /// Tells that there is no recording any more, and ends every stream.
    func finish() {
        send(state: .idle)
        buffers.finish()
        histories.finish()
        states.finish()
        levels.finish()
        events.finish()
    }
}
