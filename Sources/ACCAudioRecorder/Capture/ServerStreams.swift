/// A record stream, as the server describes it.
struct RecordStream: Sendable {
    /// The stream's index at the server.
    let index: UInt32
    /// The source that it records from; `PA_INVALID_INDEX` before PipeWire has connected it to one.
    let sourceIndex: UInt32
    /// Whether it is muted at the server.
    let isMuted: Bool
    /// Its volume at the server; nil if it has none.
    let volume: SourceVolume?
    /// The server's resampling method; nil if it does not resample.
    let resampleMethod: String?
}

/// A stream of another process's call, for recording or playback.
struct CallStream: Sendable, Hashable {
    let isPlayback: Bool
    /// The stream's index at the server.
    let index: UInt32
    /// The program that calls.
    var owner = StreamOwner()
}
