/// One subscription to a recording. Each stream is for one consumer; ask for further subscriptions with
/// `getCurrentStreams()`. All streams end with the recording.
///
/// A stream costs something only while somebody holds it: one that is let go of is no longer fed. A closure that
/// mentions one stream of this value holds all of them; capture the one: `[states = streams.state]`.
public struct RecordingStreams: Sendable {
    /// The frames, in order. Half a minute of them waits for a consumer that does not read, in memory that
    /// all subscribers share; what comes then is left out for this consumer alone, and the next buffer that it
    /// gets says how much.
    public let buffers: AsyncStream<AudioBufferData>
    /// The last 100 levels, oldest first: RMS of all channels of a buffer in dBFS, not below -120. Empty
    /// before the first buffer. Only the newest history waits to be read.
    public let audioLevelHistory: AsyncStream<[Float]>
    /// The state, at each change and every 100 ms. Only the newest waits to be read.
    public let state: AsyncStream<RecordingState>
    /// Peak, RMS and clipped samples of each buffer by channel. Only the newest waits to be read.
    public let levels: AsyncStream<RecordingLevels>
    /// What happens to the recording; the newest thousand events wait to be read.
    public let events: AsyncStream<RecordingEvent>
}
