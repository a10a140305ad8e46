import Synchronization

/// The publishers through which the engine and the recorder reach the subscribers of one recording.
final class RecordingBroadcast: Sendable {
    /// The audio in the recording's own format.
    let audio: Publisher<RecordedAudio>
    let levels: Publisher<RecordingLevels>
    let events: Publisher<RecordingEvent>
    let states: Publisher<RecordingState>
    private let histories: Publisher<[Float]>
    private let terms: DeliveryTerms
    /// Gives the channels of an input, by its name.
    private let tracks: Tracks

    typealias Tracks = @Sendable (_ input: String) throws(ACCAudioRecorderError) -> TrackChannels?

    private struct ConvertedAudio {
        var publishers: [BranchFormat: Publisher<RecordedAudio>] = [:]
        var isFinished = false
    }

    /// The publishers of audio in formats of their own.
    private let convertedAudio = Mutex(ConvertedAudio())
    /// Counts the formats, so that the engine looks at them only if there is a new one.
    private let formatCount = Atomic<Int>(0)

    private let history = Mutex(LevelHistory())
    private let state = Mutex(RecordingState.idle)

    /// - Parameters:
    ///   - allowance: The length in seconds of what comes all at once at the beginning.
    ///   - waitsForSubscribers: Whether the source waits for subscribers that do not keep up.
    ///   - tracks: Gives the channels of an input, of a recording that has several as tracks.
    init(allowance: Double = 0, waitsForSubscribers: Bool = false, tracks: @escaping Tracks = { _ in nil }) {
        let terms = DeliveryTerms(allowance: allowance, waits: waitsForSubscribers)
        self.terms = terms
        self.tracks = tracks
        audio = Publisher(terms)
        levels = Publisher(terms)
        events = Publisher(terms)
        states = Publisher(terms)
        histories = Publisher(terms)
    }

    /// Says whether a command waits for the recording, which then waits for no subscriber that reads nothing.
    func hurry(_ isHurried: Bool) { terms.hurry(isHurried) }

    // MARK: - Subscribers

    /// Checks that the recording has the channels of a format's input.
    func check(_ format: BufferFormat) throws(ACCAudioRecorderError) {
        _ = try branchFormat(format)
    }

    private func branchFormat(_ format: BufferFormat) throws(ACCAudioRecorderError) -> BranchFormat {
        var track: TrackChannels?
        if let input = format.input { track = try tracks(input) }
        return BranchFormat(
            sampleRate: format.sampleRate.map { Int($0) }, channelCount: format.channelCount.map { Int($0) },
            track: track)
    }

    /// The publisher of audio in a format of its own, or of the recording's; one that has ended for an input without channels.
    func audio(in format: BufferFormat) -> Publisher<RecordedAudio> {
        guard let format = try? branchFormat(format) else {
            let publisher = Publisher<RecordedAudio>()
            publisher.finish()
            return publisher
        }
        if format == .recording { return audio }
        return convertedAudio.withLock { converted in
            if let publisher = converted.publishers[format] { return publisher }
            let publisher = Publisher<RecordedAudio>(terms)
            if converted.isFinished { publisher.finish() }
            converted.publishers[format] = publisher
            formatCount.store(converted.publishers.count, ordering: .releasing)
            return publisher
        }
    }

    /// The publishers of audio in formats of their own, if there are more than this.
    func convertedAudio(beyond count: Int) -> [BranchFormat: Publisher<RecordedAudio>]? {
        formatCount.load(ordering: .acquiring) > count ? convertedAudio.withLock { $0.publishers } : nil
    }

    /// Sends the states to a mailbox, which gets the current one at once.
    func sendStates(to mailbox: Mailbox<RecordingState>) {
        state.withLock { states.add(mailbox, first: $0) }
    }

    /// Returns a new subscription that ends with the recording, and gets the current history and state at once.
    func subscribe() -> RecordingStreams {
        let missed = Mutex(0)
        let history = history.withLock {
            histories.subscribe(mostOthers: 1, first: $0.levels.isEmpty ? nil : $0.levels)
        }
        let state = state.withLock { states.subscribe(mostOthers: 1, first: $0) }
        return RecordingStreams(
            buffers: audio.subscribe(.oldest()).stream { audio in
                switch audio {
                case .buffer(let buffer):
                    return buffer.missing(
                        missed.withLock { frames in
                            defer { frames = 0 }
                            return frames
                        })
                case .dropped(let frames): missed.withLock { $0 += frames }
                case .gap, .ended: break
                }
                return nil
            },
            audioLevelHistory: history.stream, state: state.stream, levels: levels.subscribe().stream,
            events: events.subscribe().stream)
    }

    // MARK: - Values

    /// Appends the level of a buffer to the history.
    func append(level: Float) {
        history.withLock { history in
            history.append(level)
            if histories.hasSubscribers { histories.send(history.levels) }
        }
    }

    /// Whether anybody subscribes to anything that changes continuously, which is everything but events.
    var isFollowed: Bool {
        audio.hasSubscribers || levels.hasSubscribers || histories.hasSubscribers || states.hasSubscribers
            || formatCount.load(ordering: .relaxed) > 0
                && convertedAudio.withLock { $0.publishers.values.contains(where: \.hasSubscribers) }
    }

    /// Sends the state, whether or not it changed.
    func send(state newState: RecordingState) {
        state.withLock { state in
            state = newState
            states.send(newState)
        }
    }

    /// Sends the idle state, and ends every subscription that ends with the recording.
    ///
    /// - Parameter report: That of the recording; nil if it has not begun.
    func finish(_ report: RecordingReport? = nil) {
        send(state: .idle)
        let converted = convertedAudio.withLock {
            $0.isFinished = true
            return Array($0.publishers.values)
        }
        for publisher in [audio] + converted {
            if let report { publisher.send(.ended(report)) }
            publisher.finish()
        }
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

extension RecordingState: Subscribable {}
extension RecordingEvent: Subscribable {}
extension [Float]: Subscribable {}

extension RecordingLevels: Subscribable {
    var frameCount: Int { frameLength }
    /// Levels are of a recording's buffers, whose rate is that of their times.
    var seconds: Double { frame > 0 ? Double(frameLength) * timestamp / Double(frame) : 0 }
}
