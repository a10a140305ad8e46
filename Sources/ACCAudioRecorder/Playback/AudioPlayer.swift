import Synchronization

/// Plays a file through a sound server, once. Any thread may call.
public final class AudioPlayer: Sendable {
    /// A place to go to.
    @nonexhaustive
    public enum Place: Sendable, Hashable {
        /// From what is heard now; negative for backwards.
        case here(Duration)
        /// After the beginning of the file.
        case start(Duration)
        /// Before the end of the file.
        case end(Duration)
        /// So many markers on from what is heard now; negative for backwards.
        case marker(Int)
    }

    /// What happens during a playback, told on its thread.
    @nonexhaustive
    public enum Event: Sendable {
        /// The stream is open.
        ///
        /// - Parameters:
        ///   - spec: The format in which the file is played.
        ///   - length: The file's length; nil if it does not state one.
        ///   - channelMap: What its channels are.
        ///   - markers: The file's markers, in order.
        ///   - sink: The human-readable name of the sink.
        case started(
            SampleSpec, length: Duration?, channelMap: ChannelMap, markers: [FileMarker], sink: String)
        /// The levels of what was just heard, with the position in the file as their timestamp.
        case heard(RecordingLevels)
        /// The playback continues elsewhere, with the label of the marker that was asked for.
        case moved(to: Duration, marker: String?)
        /// There is no further marker.
        case noMarker
        /// The file does not allow to go to another place.
        case cannotMove
        /// The server has run out of audio at this place.
        case underrun(at: Duration)
        /// The sink was suspended, or resumed.
        case suspended(Bool)
        /// The server has moved the stream to another sink, by its human-readable name.
        case sinkChanged(String)
    }

    /// What was played.
    public struct Report: Sendable, Hashable {
        /// Where it ended.
        public let end: Duration
        /// Whether the file holds less than its header states, or could not be read further.
        public let isTruncated: Bool
        /// What of the file was left out, and why; nil if it was played as a whole.
        public let omission: String?
        /// How often the server ran out of audio.
        public let underrunCount: Int
    }

    /// What the user asks for.
    struct Requests {
        var isStopped = false
        var isPaused = false
        /// Where to go, once.
        var place: Place?
    }

    let path: String
    let serverName: String?
    let sinkName: String?
    private let requests = Mutex(Requests())
    let signals = Stream.Signals()

    /// Creates a player, which plays nothing yet.
    ///
    /// - Parameters:
    ///   - path: The file, of any format that libsndfile knows.
    ///   - serverName: The server; nil for libpulse's default.
    ///   - sinkName: A sink's name or number, or a part of its name or description; nil for the server's default.
    public init(path: String, serverName: String? = nil, sinkName: String? = nil) {
        (self.path, self.serverName, self.sinkName) = (path, serverName, sinkName)
    }

    /// Plays the file to its end, or until it is stopped.
    ///
    /// - Parameters:
    ///   - start: Where to begin.
    ///   - levelInterval: How often levels are told, at least every 40 ms; nil for never.
    ///   - observe: Receives what happens.
    /// - Throws: `SoundFileFailure` if the file cannot be read; `audioEngineStartFailed` if the server cannot be
    ///   reached or refuses the audio, or there is no such sink; `captureFailed` if the playback breaks off.
    public func play(
        from start: Duration = .zero, levelInterval: Duration? = nil,
        observe: @escaping @Sendable (Event) -> Void = { _ in }
    ) async throws -> Report {
        let end = Promise<Result<Report, any Error>>()
        try DetachedThread.start("playback") { [self] in
            end.fulfil(
                Result {
                    let file = try File(path: path)
                    var playback = try Run(
                        of: file, by: self, levelInterval: levelInterval?.seconds, observe: observe)
                    return try playback.run(from: start.seconds)
                })
        }
        return try await end.value.get()
    }

    /// Ends the playback at once.
    public func stop() {
        request { $0.isStopped = true }
    }

    /// Pauses, or resumes.
    ///
    /// - Returns: Whether it is paused now.
    @discardableResult
    public func pauseOrResume() -> Bool {
        request { requests in
            requests.isPaused.toggle()
            return requests.isPaused
        }
    }

    /// Continues at another place; of places relative to here and of markers, all count.
    public func go(to place: Place) {
        request { requests in
            switch (requests.place, place) {
            case (.here(let before), .here(let seconds)): requests.place = .here(before + seconds)
            case (.start(let before), .here(let seconds)): requests.place = .start(max(before + seconds, .zero))
            case (.end(let before), .here(let seconds)): requests.place = .end(before - seconds)
            case (.marker(let before), .marker(let count)): requests.place = .marker(before + count)
            default: requests.place = place
            }
        }
    }

    /// What is asked for now; the place only once.
    func takeRequests() -> Requests {
        requests.withLock { requests in
            defer { requests.place = nil }
            return requests
        }
    }

    private func request<Value: Sendable>(_ change: (inout Requests) -> Value) -> Value {
        let value = requests.withLock { change(&$0) }
        signals.waker.wake()
        return value
    }
}
