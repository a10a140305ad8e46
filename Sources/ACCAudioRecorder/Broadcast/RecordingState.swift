import FoundationEssentials

/// Whether a recording is running, and its length.
public struct RecordingState: Sendable, Hashable {
    /// Whether there is a recording, paused or not.
    public let isRecording: Bool
    /// Whether the recording is paused or waits for its source.
    public let isPaused: Bool
    /// The recording's length in seconds, counted in frames, pauses excluded; nil without a recording.
    public let currentDuration: TimeInterval?

    /// Creates a state, for tests of code that receives states.
    public init(isRecording: Bool, isPaused: Bool, currentDuration: TimeInterval?) {
        self.isRecording = isRecording
        self.isPaused = isPaused
        self.currentDuration = currentDuration
    }

    static let idle = RecordingState(isRecording: false, isPaused: false, currentDuration: nil)
}
