import FoundationEssentials

/// Records from a source of the sound server, for any number of subscribers and outputs.
///
/// Commands may come from anywhere at any time; they are carried out one after another.
public actor ACCAudioRecorder {
    /// The version of the recorder, which files name.
    public static let version = "0.1.0"

    let configuration: Configuration
    var machine = RecordingStateMachine()
    var gate = CommandGate()
    var session: RecordingSession?
    var prepared: PreparedSource?
    var ticker: Task<Void, Never>?
    /// Since when the source has delivered nothing, over all its openings.
    var quietSince: SuspendingClock.Instant?
    var timeLimit: TimeInterval?
    var onTimeLimitReached: (@Sendable () async -> Void)?
    var levelObserver: LevelObserver?
    var onUnrecoverableInterruption: (@Sendable () async -> Void)?

    /// A recorder that is idle.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// A recorder that is let go of in the middle of a recording finishes it.
    deinit {
        Task.detached { [session, prepared] in
            _ = await session?.end(.finished)
            await prepared?.release()
        }
    }
}

// MARK: - Recording

extension ACCAudioRecorder {
    /// Opens the source, so that a later start costs nothing: the frames captured until then are dropped. Does
    /// nothing where the source is open already. `finishRecording()` and `discardRecording()` let go of it.
    ///
    /// - Throws: `recordingAlreadyInProgress`; `audioFormatCreationFailed` for a rate, a channel count or a
    ///   buffer size out of range; `audioEngineStartFailed` where the server or the source cannot be opened.
    public func prepareRecording() async throws(ACCAudioRecorderError) {
        await enter()
        defer { gate.leave() }
        guard machine.phase == .idle else { throw .recordingAlreadyInProgress }
        if await prepared?.isReady == true { return }
        await prepared?.release()
        prepared = nil
        try configuration.validate()
        var source = try await PreparedSource(configuration)
        try await source.openForLater()
        prepared = source
    }

    /// Starts a recording that goes to its subscribers only.
    ///
    /// - Returns: The first subscription, which misses nothing.
    /// - Throws: As `startRecording(to:)`.
    public func startRecording() async throws(ACCAudioRecorderError) -> RecordingStreams {
        try await startRecording(to: [])
    }

    /// Starts a recording to the given outputs, all of which hold exactly the same frames.
    ///
    /// - Returns: The first subscription, which misses nothing.
    /// - Throws: `recordingAlreadyInProgress`; `audioFormatCreationFailed` for a rate, a channel count or a
    ///   buffer size out of range; `outputFailed` for an output that cannot be created;
    ///   `audioEngineStartFailed` where the server or the source cannot be opened. A failed start leaves
    ///   nothing behind.
    public func startRecording(to outputs: [RecordingOutput]) async throws(ACCAudioRecorderError) -> RecordingStreams {
        await enter()
        defer { gate.leave() }
        if case .refuse(let error) = machine.handle(.start) { throw error }
        do throws(ACCAudioRecorderError) {
            let (session, streams) = try await RecordingSession.start(
                configuration, outputs: outputs, limit: timeLimit, prepared: prepared, levelObserver: levelObserver)
            prepared = nil
            self.session = session
            watchStretch()
            startTicker(for: session)
            return streams
        } catch {
            await prepared?.release()
            prepared = nil
            _ = machine.handle(.startFailed)
            throw error
        }
    }

    /// A new, independent subscription to the current recording, with the level history and the state so
    /// far; nil where there is no recording.
    public func getCurrentStreams() -> RecordingStreams? {
        guard let session else { return nil }
        defer { startTicker(for: session) }
        return session.broadcast.subscribe()
    }

    /// Finishes the recording, which has every frame captured until now, and completes its outputs.
    ///
    /// - Returns: What became of it; nil where there was no recording.
    @discardableResult
    public func finishRecording() async -> RecordingReport? {
        await command(.finish)
    }

    /// Ends the recording and removes the files it created.
    ///
    /// - Returns: What it was; nil where there was no recording.
    @discardableResult
    public func discardRecording() async -> RecordingReport? {
        await command(.discard)
    }

    /// Pauses the recording after the last frame captured until now, and lets go of the source. Does nothing
    /// where none runs.
    public func pauseRecording() async {
        await enter()
        defer { gate.leave() }
        guard machine.handle(.pause) == .closeSource, let session else { return }
        await session.pause()
        session.broadcast.send(state: state)
    }

    /// Goes on with a paused recording, in the same outputs, from the same source in its present format.
    /// Does nothing where it runs.
    ///
    /// - Throws: `noActiveRecording` where there is none; `audioEngineStartFailed` where the source cannot be
    ///   opened, and the recording stays paused.
    public func resumeRecording() async throws(ACCAudioRecorderError) {
        await enter()
        defer { gate.leave() }
        switch machine.handle(.resume) {
        case .refuse(let error):
            throw error
        case .reopenSource:
            guard let session else { return }
            do throws(ACCAudioRecorderError) {
                try await session.resume()
            } catch {
                _ = machine.handle(.resumeFailed)
                throw error
            }
            session.broadcast.send(state: state)
            watchStretch()
        default:
            return
        }
    }
}
