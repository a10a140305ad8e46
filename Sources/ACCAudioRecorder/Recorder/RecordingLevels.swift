import FoundationEssentials

/// The levels of one buffer of a recording, or of the frames since its observer was told last.
public struct RecordingLevels: Sendable, Hashable {
    /// One element a channel.
    public let channels: [ChannelLevel]
    /// Samples of all channels that reached full scale since the recording began.
    public let totalClippedCount: Int
    /// The time in the recording of their end, in seconds, pauses excluded.
    public let timestamp: TimeInterval
}
