import FoundationEssentials

/// The levels of one buffer of a recording, or of the frames since the observer's previous call.
public struct RecordingLevels: Sendable, Hashable {
    /// One element per channel.
    public let channels: [ChannelLevel]
    /// Samples at full scale since the recording began, in all channels.
    public let totalClippedCount: Int
    /// The position in the recording of the last measured frame, in seconds, pauses excluded.
    public let timestamp: TimeInterval

    /// Creates levels, for tests of code that receives levels.
    ///
    /// - Parameters:
    ///   - channels: One element per channel.
    ///   - totalClippedCount: Samples at full scale since the recording began, in all channels.
    ///   - timestamp: The position of the last measured frame, in seconds.
    public init(channels: [ChannelLevel], totalClippedCount: Int = 0, timestamp: TimeInterval = 0) {
        self.channels = channels
        self.totalClippedCount = totalClippedCount
        self.timestamp = timestamp
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
