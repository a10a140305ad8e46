import Synchronization

/// The channels through which the engine and the recorder reach the subscribers of one recording.
final class RecordingBroadcast: Sendable {
    let buffers = bufferChannel()
    let levels = Channel<RecordingLevels>()
    let events = Channel<RecordingEvent>()
    private let bufferCapacity: Int
    private let histories = Channel<[Float]>()
    private let states = Channel<RecordingState>()

    /// The channels of buffers in formats of their own.
    private let convertedBuffers = Mutex<[BufferFormat: Channel<AudioBufferData>]>([:])
    /// Counts the formats, so that the engine looks at them only if there is a new one.
    private let formatCount = Atomic<Int>(0)

    private let history = Mutex(LevelHistory())
    private let state = Mutex(RecordingState.idle)

    /// - Parameter bufferCapacity: The number of buffers kept for a subscriber that does not read.
    init(bufferCapacity: Int) {
        self.bufferCapacity = bufferCapacity
    }

    private static func bufferChannel() -> Channel<AudioBufferData> {
        Channel(markMissed: { $0 = $0.missing($1.missedFrameLength + Int($1.frameLength)) })
    }

    /// Returns a new stream of buffers in a format of its own, or in the recording's if that asks for nothing.
    func buffers(in format: BufferFormat) -> AsyncStream<AudioBufferData> {
        let channel =
            format == BufferFormat(sampleRate: nil, channelCount: nil)
            ? buffers
            : convertedBuffers.withLock { channels in
                if let channel = channels[format] { return channel }
                let channel = Self.bufferChannel()
                channels[format] = channel
                return channel
            }
        let stream = channel.subscribe(buffering: .bufferingOldest(bufferCapacity))
        // Only now, so that the engine finds the subscriber.
        formatCount.store(convertedBuffers.withLock { $0.count }, ordering: .releasing)
        return stream
    }

    /// The channels of buffers in formats of their own, if there are more than this.
    func convertedBuffers(beyond count: Int) -> [BufferFormat: Channel<AudioBufferData>]? {
        formatCount.load(ordering: .acquiring) > count ? convertedBuffers.withLock { $0 } : nil
    }

    /// Returns a new stream of level histories, which gets the current one at once.
    func subscribeToHistory() -> AsyncStream<[Float]> {
        history.withLock {
            histories.subscribe(buffering: .bufferingNewest(1), first: $0.levels.isEmpty ? nil : $0.levels)
        }
    }

    /// Returns a new stream of states, which gets the current one at once.
    func subscribeToState() -> AsyncStream<RecordingState> {
        state.withLock { states.subscribe(buffering: .bufferingNewest(1), first: $0) }
    }

    /// Returns a new stream of levels.
    func subscribeToLevels() -> AsyncStream<RecordingLevels> {
        levels.subscribe(buffering: .bufferingNewest(1))
    }

    /// Returns a new stream of events.
    func subscribeToEvents() -> AsyncStream<RecordingEvent> {
        events.subscribe(buffering: .bufferingNewest(1000))
    }

    /// Returns a new subscription, which gets the current history and state at once.
    func subscribe() -> RecordingStreams {
        RecordingStreams(
            buffers: buffers.subscribe(buffering: .bufferingOldest(bufferCapacity)),
            audioLevelHistory: subscribeToHistory(), state: subscribeToState(), levels: subscribeToLevels(),
            events: subscribeToEvents())
    }

    /// Appends the level of a buffer to the history.
    func append(level: Float) {
        history.withLock { history in
            history.append(level)
            if histories.hasSubscribers { histories.send(history.levels) }
        }
    }

    /// Whether anybody subscribes to anything that changes continuously, which is everything but events.
    var isFollowed: Bool {
        buffers.hasSubscribers || levels.hasSubscribers || histories.hasSubscribers || states.hasSubscribers
            || formatCount.load(ordering: .relaxed) > 0
    }

    /// Whether anybody subscribes to the state.
    var hasStateSubscribers: Bool { states.hasSubscribers }

    /// Sends the state, whether or not it changed.
    func send(state newState: RecordingState) {
        state.withLock { state in
            state = newState
            states.send(newState)
        }
    }

    /// Sends the idle state and ends every stream.
    func finish() {
        send(state: .idle)
        buffers.finish()
        for channel in convertedBuffers.withLock({ $0.values.map(\.self) }) { channel.finish() }
        histories.finish()
        states.finish()
        levels.finish()
        events.finish()
    }
}

/// The last hundred levels of a recording, oldest first, in dBFS.
struct LevelHistory {
    /// The number of levels kept.
    static let capacity = 100

    private(set) var levels: [Float] = []

    init() {
        levels.reserveCapacity(Self.capacity)
    }

    mutating func append(_ level: Float) {
        if levels.count == Self.capacity { levels.removeFirst() }
        levels.append(level)
    }
}
