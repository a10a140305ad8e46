import FoundationEssentials

/// Whether a recording runs, and how long it is.
public struct RecordingState: Sendable, Hashable {
    /// Whether there is a recording, paused or not.
    public let isRecording: Bool
    /// Whether it is paused.
    public let isPaused: Bool
    /// Its length in seconds, counted in frames, pauses excluded; nil where there is no recording.
    public let currentDuration: TimeInterval?

    static let idle = RecordingState(isRecording: false, isPaused: false, currentDuration: nil)
}
