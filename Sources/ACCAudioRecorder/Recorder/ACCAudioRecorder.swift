import FoundationEssentials

/// Records from a source of the sound server, for any number of subscribers and outputs.
///
/// Commands may come from anywhere at any time; they are carried out one after another.
public actor ACCAudioRecorder {
    private let configuration: Configuration
    private var machine = RecordingStateMachine()
    private var gate = CommandGate()
    private var session: RecordingSession?
    private var prepared: PreparedSource?
    private var ticker: Task<Void, Never>?
    /// Since when the source has delivered nothing, over all its openings.
    private var quietSince: ContinuousClock.Instant?
    private var timeLimit: TimeInterval?
    private var onTimeLimitReached: (@Sendable () async -> Void)?
    private var onUnrecoverableInterruption: (@Sendable () async -> Void)?

    /// How often the state is told while a recording runs.
    private static let stateInterval = Duration.milliseconds(100)
    /// How often it is seen whether the source delivers.
    private static let flowInterval = Duration.milliseconds(500)
    /// How often an interrupted recording tries to go on.
    private static let recoveryInterval = Duration.milliseconds(100)
    /// How long a server that was started again has to find its devices.
    private static let settlingTime = Duration.seconds(3)

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
                configuration, outputs: outputs, limit: timeLimit, prepared: prepared)
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

// MARK: - Settings and state

extension ACCAudioRecorder {
    /// Ends this recording, and later ones, by itself at exactly `round(maxDuration × rate)` frames, pauses
    /// excluded. Acts at once on a recording under way.
    ///
    /// - Parameters:
    ///   - maxDuration: Seconds.
    ///   - onTimeLimitReached: Called when the last frame was taken, before the streams end.
    public func setTimeLimit(maxDuration: TimeInterval, onTimeLimitReached: (@Sendable () async -> Void)? = nil) {
        timeLimit = maxDuration
        self.onTimeLimitReached = onTimeLimitReached
        session?.setLimit(maxDuration)
        // A recording that runs notices by itself.
        guard let session, machine.phase == .paused, session.engine.isAtLimit else { return }
        Task { await limitReached(by: session) }
    }

    /// Lets this recording, and later ones, go on without a limit.
    public func clearTimeLimit() {
        timeLimit = nil
        onTimeLimitReached = nil
        session?.setLimit(nil)
    }

    /// Sets what is called after a recording has broken off by itself; inside it the recorder is idle.
    public func setOnUnrecoverableInterruption(_ handler: (@Sendable () async -> Void)?) {
        onUnrecoverableInterruption = handler
    }

    /// The recording's length in seconds, counted in frames, pauses excluded; nil where there is none.
    public func currentDuration() -> TimeInterval? {
        session?.duration
    }

    /// Whether there is a recording and it is paused.
    public func isPausedState() -> Bool {
        machine.phase == .paused
    }

    /// The sources of the sound server, monitors included.
    ///
    /// - Parameter serverName: As in the configuration.
    /// - Throws: `audioEngineStartFailed` where no server answers.
    public static func availableSources(serverName: String? = nil) async throws(ACCAudioRecorderError) -> [AudioSource]
    {
        do throws(PulseFailure) {
            let control = try await PulseControl.connect(to: serverName)
            return try await control.sources(of: control.serverInfo())
        } catch {
            throw .audioEngineStartFailed(.init("cannot list the sources", error))
        }
    }
}

// MARK: - The course of a recording

extension ACCAudioRecorder {
    private var state: RecordingState {
        RecordingState(
            isRecording: machine.phase != .idle,
            isPaused: machine.phase == .paused || machine.phase == .interrupted,
            currentDuration: session?.duration)
    }

    private func enter() async {
        if gate.tryEnter() { return }
        await withCheckedContinuation { gate.queue($0) }
    }

    /// Carries out a command that may end the recording.
    ///
    /// - Parameter removesFiles: Whether the files of a recording that fails go with it.
    private func command(
        _ event: RecordingStateMachine.Event, removesFiles: Bool = false
    ) async -> RecordingReport? {
        await enter()
        defer { gate.leave() }
        await prepared?.release()
        prepared = nil
        guard case .end(let ending) = machine.handle(event), let session else { return nil }
        ticker?.cancel()
        ticker = nil
        quietSince = nil
        let report = await session.end(ending, removesFiles: removesFiles)
        self.session = nil
        return report
    }

    /// Notices when the present stretch ends by itself, and when its source delivers nothing.
    private func watchStretch() {
        guard let session, let stretch = session.currentStretch else { return }
        Task { [weak self] in
            var isOver = false
            while !isOver {
                let before = ContinuousClock.now
                try? await Task.sleep(for: Self.flowInterval)
                // Where this program itself was stopped, the capture has first to read what has gathered meanwhile.
                if ContinuousClock.now - before > Self.flowInterval * 2 { continue }
                isOver = await self?.checkFlow(of: session, stretch.capture) ?? true
            }
        }
        Task { [weak self] in
            let end = await stretch.end.value
            await self?.stretchEnded(end, capture: stretch.capture, of: session)
        }
    }

    private func stretchEnded(_ end: RecordingEngine.StretchEnd, capture: Capture, of ended: RecordingSession) async {
        switch end {
        case .limitReached:
            await limitReached(by: ended)
        case .drained:
            guard case .failed(let failure) = await capture.end else {
                if ended.isCallActive { await interrupt(ended, capture, by: .call) }
                return
            }
            switch failure.reason {
            case .streamKilled: await interrupt(ended, capture, by: .streamKilled)
            case .noServer: await interrupt(ended, capture, by: .serverLost)
            default:
                await breakOff(
                    .captureFailed(.init("the recording from '\(capture.source.name)' broke off", failure)), of: ended)
            }
        case .leftSource:
            await interrupt(ended, capture, by: await ended.isSourcePresent ? .streamMoved : .deviceLost)
        case .outputsFailed(let error), .failed(let error):
            await breakOff(error, of: ended)
        }
    }

    /// Sees whether the source delivers; true when the capture is over.
    private func checkFlow(of session: RecordingSession, _ capture: Capture) async -> Bool {
        let isSuspended = session.quietTime == nil ? false : await session.isSourceSuspended
        await enter()
        defer { gate.leave() }
        guard self.session === session, session.currentStretch?.capture === capture else { return true }
        switch (machine.phase, session.quietTime) {
        case (.recording, let quiet?):
            quietSince = quietSince ?? .now - quiet
            if isSuspended {
                _ = machine.handle(.suspended)
                session.engine.noteSuspension()
                session.noteSuspended()
                session.broadcast.send(state: state)
            } else {
                Task { await interrupt(session, capture, by: .stalled) }
            }
        case (.interrupted, nil):
            _ = machine.handle(.flowing)
            session.noteFlowing()
            session.broadcast.send(state: state)
        case (.recording, nil):
            if capture.hasBegun { quietSince = nil }
        case (.interrupted, _?):
            guard isQuietForTooLong else { break }
            Task { await breakOff(session.failure(of: .suspended), of: session) }
        default:
            break
        }
        return false
    }

    private var isQuietForTooLong: Bool {
        guard let quietSince else { return false }
        return .now - quietSince > .seconds(configuration.interruptions.timeout)
    }

    private func interrupt(
        _ interrupted: RecordingSession, _ capture: Capture, by interruption: RecordingInterruption
    ) async {
        await enter()
        defer { gate.leave() }
        guard session === interrupted, interrupted.currentStretch?.capture === capture,
            machine.handle(.interrupted) == .closeSource
        else { return }
        await interrupted.interrupt(interruption)
        interrupted.broadcast.send(state: state)
        Task { [weak self] in await self?.recover(interrupted, from: interruption) }
    }

    /// Tries to go on, until it succeeds, the time-out is over, or somebody decides otherwise.
    private func recover(_ interrupted: RecordingSession, from interruption: RecordingInterruption) async {
        let began = ContinuousClock.now
        var hasToldOfFailedSwitch = false
        while session === interrupted, machine.phase == .interrupted {
            let passed = ContinuousClock.now - began
            let isSettled = interruption != .serverLost || passed > Self.settlingTime
            if interruption == .stalled, isQuietForTooLong {
                return await breakOff(interrupted.failure(of: .stalled), of: interrupted)
            }
            switch await interrupted.outlook(of: interruption, isSettled: isSettled) {
            case .found(let source):
                if await goOn(interrupted, with: source) { return }
            case .wait(let error, let switchFailure):
                if let switchFailure, !hasToldOfFailedSwitch {
                    hasToldOfFailedSwitch = true
                    interrupted.noteSwitchFailed(switchFailure)
                }
                if passed > .seconds(configuration.interruptions.timeout) {
                    return await breakOff(error.asBrokenOff, of: interrupted)
                }
            case .hold:
                break
            case .end(let error, let removesFiles):
                return await breakOff(error, of: interrupted, removesFiles: removesFiles)
            }
            try? await Task.sleep(for: Self.recoveryInterval)
        }
    }

    private func goOn(_ interrupted: RecordingSession, with source: PreparedSource) async -> Bool {
        await enter()
        defer { gate.leave() }
        guard session === interrupted, machine.handle(.recovered) == .reopenSource else { return true }
        do throws(ACCAudioRecorderError) {
            try await interrupted.goOn(with: source)
        } catch {
            // The next round finds out what is the matter.
            _ = machine.handle(.recoveryFailed)
            return false
        }
        interrupted.broadcast.send(state: state)
        watchStretch()
        return true
    }

    private func limitReached(by ended: RecordingSession) async {
        guard session === ended, ended.noteLimitReached() else { return }
        // Outside the gate: the handler may call any of our methods.
        await onTimeLimitReached?()
        guard session === ended else { return }
        _ = await command(.limitReached)
    }

    private func breakOff(
        _ error: ACCAudioRecorderError, of ended: RecordingSession, removesFiles: Bool = false
    ) async {
        guard session === ended, await command(.brokeOff(error), removesFiles: removesFiles) != nil else { return }
        await onUnrecoverableInterruption?()
    }

    /// Tells the state in intervals, for as long as somebody listens.
    private func startTicker(for session: RecordingSession) {
        guard ticker == nil else { return }
        ticker = Task { [weak self] in
            repeat {
                try? await Task.sleep(for: Self.stateInterval)
            } while await self?.tick(session) ?? false
        }
    }

    /// Tells the state once; false where nobody listens, or the recording is over.
    private func tick(_ ticking: RecordingSession) -> Bool {
        guard session === ticking else { return false }
        guard ticking.broadcast.hasStateSubscribers else {
            ticker = nil
            return false
        }
        if machine.phase == .recording { ticking.broadcast.send(state: state) }
        return true
    }
}
