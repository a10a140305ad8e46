import FoundationEssentials

/// A message from an output during a recording.
enum OutputNotice: Sendable {
    /// The output continues in a new file at this path; the previous one is complete.
    case newFile(path: String, after: OutputReport)
    /// The output's file is complete, and there is no next one yet.
    case fileCompleted(OutputReport)
    /// The output continues in a new file at this path, after there was none.
    case fileCreated(path: String)
    /// A file was removed to keep to the maximum number of files.
    case fileRemoved(path: String)
    /// The output ended, because writing to it failed.
    case ended(RecordingOutput, ACCAudioRecorderError)
    /// The output lacks frames.
    case lost(RecordingOutput, OutputLoss, sampleRate: Int)
    /// The output failed to do something, and continues without it.
    case warning(ACCAudioRecorderError)
    /// The output's disk has room for only this many more seconds.
    case diskFilling(RecordingOutput, seconds: Int)
    /// The output's disk has room for this many seconds, which is less than the recording's limit.
    case diskTooSmall(RecordingOutput, seconds: Int, limit: Int)
    /// The output is this many seconds behind, which is most of its limit.
    case behind(RecordingOutput, seconds: TimeInterval, limit: TimeInterval)
    /// The output has reached its limit, and frames are dropped.
    case dropping(RecordingOutput, limit: TimeInterval)
    /// The output's container cannot describe its channel order.
    case channelsMisplaced(RecordingOutput, ChannelMap)
}
