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

/// A stream that a program plays, as the server describes it.
struct ApplicationStream: Sendable, Hashable {
    /// The stream's index at the server.
    let index: UInt32
    /// The program that plays it.
    let owner: StreamOwner
    /// What is played: the title of a song, or of a page in a browser; empty if the program does not say.
    let title: String
    /// The sink that it plays to; `PA_INVALID_INDEX` before PipeWire has connected it to one.
    let sinkIndex: UInt32
    /// Whether the program has paused it.
    let isPaused: Bool
    /// Whether it is muted at the server.
    let isMuted: Bool
    /// Its volume at the server; nil if it has none.
    let volume: SourceVolume?
    /// The format in which it is played; nil if the server states an unknown one.
    let sampleSpec: SampleSpec?
    /// The server's resampling method; nil if it does not resample.
    let resampleMethod: String?
}

/// The program that a stream belongs to, as far as it says.
struct StreamOwner: Sendable, Hashable {
    /// The human-readable name.
    var name: String?
    /// The name of the executable file.
    var binary: String?
    /// The process ID, as digits.
    var processID: String?

    /// Whether both are the same process, which may give each stream another name.
    func isSameProcess(as other: StreamOwner) -> Bool {
        self == other || processID != nil && processID == other.processID && binary == other.binary
    }

    /// Whether both are the same program, perhaps started again.
    func isSameProgram(as other: StreamOwner) -> Bool {
        isSameProcess(as: other) || name == other.name && binary == other.binary
    }
}
