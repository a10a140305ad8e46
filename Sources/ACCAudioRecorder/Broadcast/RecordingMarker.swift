import FoundationEssentials

/// A marker that the user set in a recording.
///
/// In JSON a marker is an object with `number`, `frame`, `offset` in seconds and `label`.
public struct RecordingMarker: Sendable, Hashable {
    /// The number of the marker in the recording, from 1.
    public let number: Int
    /// The frame that the marker precedes, at the recording's rate.
    public let frame: Int
    /// The position in seconds, pauses excluded.
    public let time: TimeInterval
    /// The marker's text.
    public let label: String

    /// Creates a marker, for tests of code that receives events.
    ///
    /// - Parameters:
    ///   - number: Counted from 1.
    ///   - frame: The frame that the marker precedes.
    ///   - time: The position in seconds.
    ///   - label: The marker's text.
    public init(number: Int, frame: Int, time: TimeInterval, label: String) {
        self.number = number
        self.frame = frame
        self.time = time
        self.label = label
    }
}

extension RecordingMarker {
    /// The position, pauses excluded.
    public var offset: Duration { .limited(seconds: time) }
}

extension RecordingMarker: Codable {
    private enum CodingKeys: String, CodingKey {
        case number, frame, label
        case time = "offset"
    }
}
