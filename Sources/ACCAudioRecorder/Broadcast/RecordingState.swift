import FoundationEssentials

/// Whether a recording is running, and its length.
///
/// In JSON it is an object with `is_recording`, `is_paused` and, during a recording, `seconds`.
public struct RecordingState: Sendable, Hashable, Codable {
    /// Whether there is a recording, paused or not.
    public let isRecording: Bool
    /// Whether the recording is paused or waits for its source.
    public let isPaused: Bool
    /// The recording's length in seconds, counted in frames, pauses excluded; nil without a recording.
    public let currentDuration: TimeInterval?

    private enum CodingKeys: String, CodingKey {
        case isRecording = "is_recording"
        case isPaused = "is_paused"
        case currentDuration = "seconds"
    }

    /// Creates a state, for tests of code that receives states.
    public init(isRecording: Bool, isPaused: Bool, currentDuration: TimeInterval?) {
        self.isRecording = isRecording
        self.isPaused = isPaused
        self.currentDuration = currentDuration
    }

    static let idle = RecordingState(isRecording: false, isPaused: false, currentDuration: nil)
}

/// Why a recording was interrupted.
@nonexhaustive
public enum RecordingInterruption: String, Sendable, Hashable, CaseIterable {
    /// The source's device is gone.
    case deviceLost
    /// The server moved the stream to another source: with the simple API, or if the server does not pin streams.
    case streamMoved
    /// The server's default source changed, and the recording follows it.
    case defaultChanged
    /// Somebody ended the stream at the server.
    case streamKilled
    /// The connection to the sound server was lost.
    case serverLost
    /// The source was suspended: it delivers nothing until it is resumed.
    case suspended
    /// Another program is in a call.
    case call
    /// The source is running but has delivered nothing for some time.
    case stalled
    /// The application that is recorded plays nothing: it has not begun, has stopped, or has ended.
    case applicationAbsent
    /// The application that is recorded has paused what it plays.
    case applicationPaused
    /// The application that is recorded now plays to another sink.
    case applicationMoved
}

extension RecordingInterruption: CustomStringConvertible {
    /// Human-readable: `device unplugged`.
    public var description: String {
        switch self {
        case .deviceLost: "device unplugged"
        case .streamMoved: "stream moved to another source"
        case .defaultChanged: "default source changed"
        case .streamKilled: "stream ended at the server"
        case .serverLost: "sound server gone"
        case .suspended: "source suspended"
        case .call: "call in another program"
        case .stalled: "source delivered nothing"
        case .applicationAbsent: "application not playing"
        case .applicationPaused: "application paused"
        case .applicationMoved: "application moved to another sink"
        }
    }
}
