/// One subscription to a recording. Each stream is for one consumer; get further subscriptions from
/// `getCurrentStreams()`. All streams end with the recording.
///
/// A consumer that needs only one of the streams gets it alone, for example from ``ACCAudioRecorder/ACCAudioRecorder/levelStream()``.
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
