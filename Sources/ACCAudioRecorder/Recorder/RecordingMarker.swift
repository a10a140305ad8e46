import FoundationEssentials

/// A place in a recording that its user wants to find again.
public struct RecordingMarker: Sendable, Hashable {
    /// Which one of the recording it is, from 1.
    public let number: Int
    /// The frame that it stands before, at the recording's rate.
    public let frame: Int
    /// That place in seconds, pauses excluded.
    public let time: TimeInterval
    /// What it says.
    public let label: String
}
