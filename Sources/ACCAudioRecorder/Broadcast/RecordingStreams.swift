import FoundationEssentials

/// All streams of a recording, as on iOS. Each stream is for one consumer; get further ones from `getCurrentStreams()`. All end
/// with the recording.
///
/// A ``Subscription`` is one stream alone, which lives across recordings: its consumer holds nothing else, and can choose the
/// format of buffers and what is kept for it.
///
/// A stream is fed, and costs CPU time, only as long as something holds it. A closure that mentions one stream of this
/// value holds all of them, so capture that stream alone: `[states = streams.state]`.
public struct RecordingStreams: Sendable {
    /// The frames, in order. Half a minute of them is kept for a consumer that does not read, in memory shared by all
    /// subscribers. Later buffers are dropped for this consumer only, and the next buffer it gets says how many frames
    /// it missed.
    public let buffers: AsyncStream<AudioBufferData>
    /// The last 100 levels, oldest first: the RMS of each buffer over all channels in dBFS, at least -120. Empty before
    /// the first buffer. Only the newest history is kept for a consumer.
    public let audioLevelHistory: AsyncStream<[Float]>
    /// The state, at each change and every 100 ms. Only the newest is kept for a consumer.
    public let state: AsyncStream<RecordingState>
    /// Peak, RMS and clipped samples of each buffer by channel. Only the newest levels are kept for a consumer.
    public let levels: AsyncStream<RecordingLevels>
    /// The recording's events; the newest thousand are kept for a consumer.
    public let events: AsyncStream<RecordingEvent>

    /// Creates a subscription from streams, for tests of code that receives one. Streams that are not given have ended.
    public init(
        buffers: AsyncStream<AudioBufferData> = AsyncStream { $0.finish() },
        audioLevelHistory: AsyncStream<[Float]> = AsyncStream { $0.finish() },
        state: AsyncStream<RecordingState> = AsyncStream { $0.finish() },
        levels: AsyncStream<RecordingLevels> = AsyncStream { $0.finish() },
        events: AsyncStream<RecordingEvent> = AsyncStream { $0.finish() }
    ) {
        self.buffers = buffers
        self.audioLevelHistory = audioLevelHistory
        self.state = state
        self.levels = levels
        self.events = events
    }
}

/// The levels of one buffer of a recording, or of the frames since the observer's previous call.
///
/// In JSON they are an object with `channels`, `clipped`, `offset` in seconds, `frame`, `frames` and, if it is known, `loudness`.
public struct RecordingLevels: Sendable, Hashable, Codable {
    /// One element per channel.
    public let channels: [ChannelLevel]
    /// Samples at full scale since the recording began, in all channels.
    public let totalClippedCount: Int
    /// The position in the recording of the last measured frame, in seconds, pauses excluded.
    public let timestamp: TimeInterval
    /// The number of frames of the recording up to the last measured one, pauses excluded.
    public let frame: Int
    /// The number of measured frames.
    public let frameLength: Int
    /// The loudness of the recording so far; nil for levels of a playback.
    public let loudness: RecordingLoudness?

    private enum CodingKeys: String, CodingKey {
        case channels, frame, loudness
        case totalClippedCount = "clipped"
        case timestamp = "offset"
        case frameLength = "frames"
    }

    /// Creates levels, for tests of code that receives levels.
    ///
    /// - Parameters:
    ///   - channels: One element per channel.
    ///   - totalClippedCount: Samples at full scale since the recording began, in all channels.
    ///   - timestamp: The position of the last measured frame, in seconds.
    ///   - frame: The number of frames up to the last measured one.
    ///   - frameLength: The number of measured frames.
    ///   - loudness: The loudness of the recording so far.
    public init(
        channels: [ChannelLevel], totalClippedCount: Int = 0, timestamp: TimeInterval = 0, frame: Int = 0,
        frameLength: Int = 0, loudness: RecordingLoudness? = nil
    ) {
        self.channels = channels
        self.totalClippedCount = totalClippedCount
        self.timestamp = timestamp
        self.frame = frame
        self.frameLength = frameLength
        self.loudness = loudness
    }
}

/// The loudness of a recording so far, by EBU R 128: in LUFS, and the true peak in dBTP.
public struct RecordingLoudness: Sendable, Hashable, Codable {
    /// That of the last 400 ms; nil before, and for silence.
    public let momentary: Double?
    /// That of the last three seconds; nil before, and for silence.
    public let shortTerm: Double?
    /// That of all so far, gated; nil as long as nothing was louder than -70 LUFS.
    public let integrated: Double?
    /// The highest one so far, at least -120.
    public let truePeak: Double

    private enum CodingKeys: String, CodingKey {
        case momentary, integrated
        case shortTerm = "short_term"
        case truePeak = "true_peak"
    }

    /// Creates a loudness, for tests of code that receives levels.
    public init(momentary: Double?, shortTerm: Double?, integrated: Double?, truePeak: Double) {
        self.momentary = momentary
        self.shortTerm = shortTerm
        self.integrated = integrated
        self.truePeak = truePeak
    }
}

extension RecordingLevels {
    /// The position in the recording of the last measured frame, pauses excluded.
    public var offset: Duration { .limited(seconds: timestamp) }
}

/// A closure that the engine calls with the levels of a recording, and how often.
struct LevelObserver: Sendable {
    /// Seconds between calls, at least 0.
    let interval: TimeInterval
    let observe: @Sendable (RecordingLevels) -> Void
}
