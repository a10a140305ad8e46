/// What a recording was interrupted by.
public enum RecordingInterruption: String, Sendable, Hashable, CaseIterable {
    /// The device of its source has gone.
    case deviceLost
    /// The server moved its stream to another source.
    case streamMoved
    /// Its stream was ended at the server.
    case streamKilled
    /// The sound server has gone.
    case serverLost
    /// Its source was suspended: it delivers nothing until it is resumed.
    case suspended
    /// Another program has a call.
    case call
    /// Its source runs, and delivered nothing for some time.
    case stalled
}

extension RecordingInterruption: CustomStringConvertible {
    /// For people: `the device was gone`.
    public var description: String {
        switch self {
        case .deviceLost: "the device was gone"
        case .streamMoved: "the server moved the stream to another source"
        case .streamKilled: "the stream was ended at the server"
        case .serverLost: "the sound server was gone"
        case .suspended: "the source was suspended"
        case .call: "another program had a call"
        case .stalled: "the source delivered nothing"
        }
    }
}
