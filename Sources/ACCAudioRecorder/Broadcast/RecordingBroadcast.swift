import Synchronization

/// The publishers through which the engine and the recorder reach the subscribers of one recording.
final class RecordingBroadcast: Sendable {
    let buffers: Publisher<AudioBufferData>
    let levels = Publisher<RecordingLevels>()
    let events = Publisher<RecordingEvent>()
    private let bufferCapacity: Int
    private let histories = Publisher<[Float]>()
    private let states = Publisher<RecordingState>()

    private struct ConvertedBuffers {
        var publishers: [BufferFormat: Publisher<AudioBufferData>] = [:]
        var isFinished = false
    }

    /// The publishers of buffers in formats of their own.
    private let convertedBuffers = Mutex(ConvertedBuffers())
    /// Counts the formats, so that the engine looks at them only if there is a new one.
    private let formatCount = Atomic<Int>(0)

    private let history = Mutex(LevelHistory())
    private let state = Mutex(RecordingState.idle)

    /// How long a source that waits for its subscribers waits for one that reads nothing.
    private static let patience = Duration.seconds(2)
    private let patience: Duration

    /// - Parameters:
    ///   - bufferCapacity: The number of buffers kept for a subscriber that does not read.
    ///   - waitsForSubscribers: Whether more buffers wait until a subscriber reads.
    init(bufferCapacity: Int, waitsForSubscribers: Bool = false) {
        self.bufferCapacity = bufferCapacity
        patience = waitsForSubscribers ? Self.patience : .zero
        buffers = Self.bufferPublisher(patience)
    }

    private static func bufferPublisher(_ patience: Duration) -> Publisher<AudioBufferData> {
        Publisher(patience: patience) { $0 = $0.missing($1.missedFrameLength + Int($1.frameLength)) }
    }

    /// Returns a new stream of buffers in a format of its own, or in the recording's if that asks for nothing.
    func buffers(in format: BufferFormat) -> AsyncStream<AudioBufferData> {
        let publisher =
            format == .recording
            ? buffers
            : convertedBuffers.withLock { converted in
                if let publisher = converted.publishers[format] { return publisher }
                let publisher = Self.bufferPublisher(patience)
                if converted.isFinished { publisher.finish() }
                converted.publishers[format] = publisher
                return publisher
            }
        let stream = publisher.subscribe(buffering: .bufferingOldest(bufferCapacity))
        // Only now, so that the engine finds the subscriber.
        formatCount.store(convertedBuffers.withLock { $0.publishers.count }, ordering: .releasing)
        return stream
    }

    /// The publishers of buffers in formats of their own, if there are more than this.
    func convertedBuffers(beyond count: Int) -> [BufferFormat: Publisher<AudioBufferData>]? {
        formatCount.load(ordering: .acquiring) > count ? convertedBuffers.withLock { $0.publishers } : nil
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
    func subscribe(toBuffersIn format: BufferFormat = .recording) -> RecordingStreams {
        RecordingStreams(
            buffers: buffers(in: format),
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
                && convertedBuffers.withLock { $0.publishers.values.contains(where: \.hasSubscribers) }
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
        let converted = convertedBuffers.withLock {
            $0.isFinished = true
            return Array($0.publishers.values)
        }
        for publisher in converted { publisher.finish() }
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
