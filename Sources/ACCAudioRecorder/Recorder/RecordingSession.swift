import CPulse
import FoundationEssentials
import Synchronization

/// One recording from start to end: its outputs, its subscribers, and the stretch that is being captured.
///
/// The recorder changes it by one method at a time, in its gate; what it finds out about source and server it asks
/// outside, at any time.
final class RecordingSession: Sendable {
    /// A run of the engine on one opening of the source.
    struct Stretch: Sendable {
        let capture: Capture
        /// When the engine has taken what it will of it.
        let end: Promise<RecordingEngine.StretchEnd>
    }

    let engine: RecordingEngine
    let broadcast: RecordingBroadcast
    private let configuration: ACCAudioRecorder.Configuration
    private let warnings: RecordingWarnings
    private let state: Mutex<State>
    private let isLimitNoted = Atomic<Bool>(false)

    private struct State {
        var source: AudioSource
        /// The stretch that is being captured; nil while paused or interrupted.
        var stretch: Stretch?
        var watch: SourceWatch?
        var watching: Task<Void, Never>?
        var serverAlterations: [Alteration] = []
        /// What the recording was interrupted by, while it is.
        var interruption: RecordingInterruption?
    }

    /// Refuses what is known to fail, finds the source, creates the outputs and begins to capture, in that
    /// order. What a failed start created is removed.
    ///
    /// - Parameter prepared: A source that waits to be begun; used where it is still as it was found.
    /// - Returns: The session, and the subscription that was there before the first frame.
    static func start(
        _ configuration: ACCAudioRecorder.Configuration, outputs: [RecordingOutput], limit: TimeInterval?,
        prepared: PreparedSource?
    ) async throws(ACCAudioRecorderError) -> (RecordingSession, RecordingStreams) {
        try configuration.validate()
        for output in outputs {
            let own = configuration.applying(output)
            try own.validate()
            try OutputWriter.check(output, form: own.native.isEmpty ? own.outputForm(from: nil) : nil)
        }
        let readySource: PreparedSource
        if let prepared, await prepared.isReady {
            readySource = prepared
        } else {
            await prepared?.release()
            readySource = try await PreparedSource(configuration)
        }

        let source = readySource.source
        let captured = readySource.captured
        let configuration = configuration.resolved(for: captured)
        var writers: [OutputWriter] = []
        do throws(ACCAudioRecorderError) {
            try configuration.validate()
            for output in outputs {
                let form = configuration.applying(output).outputForm(from: captured)
                writers.append(
                    try OutputWriter(
                        output, for: source, form: form,
                        storesStartTime: configuration.audioSessionMode.storesStartTime))
            }
            let broadcast = RecordingBroadcast(bufferCapacity: configuration.buffersKeptForASubscriber)
            let warnings = RecordingWarnings(broadcast: broadcast)
            let engine = RecordingEngine(
                configuration: configuration, form: configuration.outputForm(from: captured), writers: writers,
                broadcast: broadcast, warnings: warnings)
            let session = RecordingSession(
                configuration, source: source, engine: engine, broadcast: broadcast, warnings: warnings)
            session.setLimit(limit)
            broadcast.send(state: RecordingState(isRecording: true, isPaused: false, currentDuration: 0))
            let streams = broadcast.subscribe()
            try await session.watchSource(readySource)
            let capture = try await readySource.begin()
            try await session.record(capture)
            broadcast.events.send(.started(session.source))
            session.watch?.follow(capture)
            return (session, streams)
        } catch {
            for writer in writers { writer.discard() }
            await readySource.release()
            throw error
        }
    }

    private init(
        _ configuration: ACCAudioRecorder.Configuration, source: AudioSource, engine: RecordingEngine,
        broadcast: RecordingBroadcast, warnings: RecordingWarnings
    ) {
        self.configuration = configuration
        self.warnings = warnings
        state = Mutex(State(source: source))
        self.engine = engine
        self.broadcast = broadcast
    }

    /// A session that could not be started leaves its watch behind.
    deinit {
        state.withLock { $0.watching }?.cancel()
    }

    /// The stretch that is being captured; nil while paused or interrupted.
    var currentStretch: Stretch? { state.withLock { $0.stretch } }

    private var source: AudioSource { state.withLock { $0.source } }

    private var watch: SourceWatch? { state.withLock { $0.watch } }

    /// The length in seconds, pauses excluded.
    var duration: TimeInterval { Double(engine.frameCount) / Double(engine.sampleRate) }

    /// Sets the length at which the recording ends by itself: exactly `round(limit × rate)` frames.
    func setLimit(_ limit: TimeInterval?) {
        engine.setLimit(limit ?? .infinity)
    }
}

// MARK: - The source

extension RecordingSession {
    private func watchSource(_ found: PreparedSource) async throws(ACCAudioRecorderError) {
        do throws(PulseFailure) {
            let (newWatch, newWatching) = try await SourceWatch.start(
                on: found.source, of: configuration, control: found.control, broadcast: broadcast,
                warnings: warnings)
            stopWatching()
            state.withLock { state in
                state.watch = newWatch
                state.watching = newWatching
            }
        } catch {
            throw .audioEngineStartFailed(.init("cannot watch the source '\(found.source.name)'", error))
        }
    }

    private func stopWatching() {
        state.withLock { state in
            state.watching?.cancel()
            let found = state.watch?.alterations ?? []
            state.serverAlterations += found.filter { !state.serverAlterations.contains($0) }
            state.watch = nil
        }
    }
}

// MARK: - The limit

extension RecordingSession {
    /// Tells the subscribers that the limit is reached; false, and nothing told, where they know.
    func noteLimitReached() -> Bool {
        let isNew = isLimitNoted.compareExchange(expected: false, desired: true, ordering: .relaxed).exchanged
        if isNew { broadcast.events.send(.limitReached) }
        return isNew
    }
}

// MARK: - Stretches

extension RecordingSession {
    /// Captures everything until now, then closes the source. The outputs stay open.
    func pause() async {
        await stopStretch(.after(hostTime: MonotonicClock.now()))
        broadcast.events.send(.paused(frame: engine.frameCount))
    }

    /// Opens the source again, in whatever format it has now.
    func resume() async throws(ACCAudioRecorderError) {
        state.withLock { $0.interruption = nil }
        try await goOn(with: PreparedSource(configuration, exactName: source.name))
    }

    /// Goes on with a source that was found, in whatever format it has now.
    func goOn(with found: PreparedSource) async throws(ACCAudioRecorderError) {
        let isReturn = found.source.name == source.name && watch?.takeLoss() == true
        if isReturn { broadcast.events.send(.deviceReturned(found.source)) }
        try await watchSource(found)
        let capture = try await found.open(.after(hostTime: MonotonicClock.now()))
        try await record(capture)
        if source.name != found.source.name { broadcast.events.send(.fellBack(from: source, to: found.source)) }
        state.withLock { state in
            state.source = found.source
            state.interruption = nil
        }
        broadcast.events.send(.resumed(found.source))
        watch?.follow(capture)
    }

    private func record(_ capture: Capture) async throws(ACCAudioRecorderError) {
        let end = Promise<RecordingEngine.StretchEnd>()
        do throws(ACCAudioRecorderError) {
            let interruption = state.withLock { $0.interruption }
            try DetachedThread.start(for: "the engine") { [engine] in
                end.fulfil(
                    engine.record(
                        capture.ring, from: capture.source, holdBack: capture.holdBack, after: interruption))
            }
        } catch {
            await capture.stop(.now)
            throw error
        }
        state.withLock { $0.stretch = Stretch(capture: capture, end: end) }
    }

    private func stopStretch(_ stop: Capture.Stop) async {
        guard let stretch = currentStretch else { return }
        await stretch.capture.stop(stop)
        _ = await stretch.end.value
        state.withLock { $0.stretch = nil }
    }
}

// MARK: - Interruptions

extension RecordingSession {
    /// Whether the server still has the source.
    var isSourcePresent: Bool {
        get async { await watch?.isSourcePresent ?? false }
    }

    /// What is found out about an interrupted recording's chances.
    enum Outlook {
        /// It can go on with this source.
        case found(PreparedSource)
        /// Not now, because of this; nor is there another source, where that was looked for.
        case wait(ACCAudioRecorderError, switchFailure: ACCAudioRecorderError? = nil)
        /// Not now, however long it takes.
        case hold
        /// It is to end.
        case end(ACCAudioRecorderError, removesFiles: Bool)
    }

    /// Leaves the source, and tells the subscribers why.
    func interrupt(_ interruption: RecordingInterruption) async {
        await stopStretch(.now)
        state.withLock { $0.interruption = interruption }
        broadcast.events.send(.interrupted(interruption))
    }

    /// How long the capture has delivered nothing, beyond what is to be expected; nil where that is not so.
    ///
    /// A source may need a while before its first frame, such as a Bluetooth headset or a sink that renders in blocks
    /// of two seconds.
    var quietTime: Duration? {
        guard let capture = currentStretch?.capture else { return nil }
        let quiet = Duration.nanoseconds(Int64(capture.quietTime))
        return quiet > .seconds(capture.hasBegun ? 2 : 4) ? quiet : nil
    }

    /// Whether a call is why the capture ended.
    var isCallActive: Bool { watch?.isCallActive ?? false }

    /// Whether the server says that the source is suspended.
    var isSourceSuspended: Bool {
        get async { await watch?.isSourceSuspended ?? false }
    }

    /// The source is suspended; it stays open.
    func noteSuspended() {
        broadcast.events.send(.interrupted(.suspended))
    }

    /// The source, which had stayed open, delivers again.
    func noteFlowing() {
        broadcast.events.send(.resumed(source))
    }

    /// The error of a recording whose source delivered nothing for too long.
    func failure(of interruption: RecordingInterruption) -> ACCAudioRecorderError {
        .captureFailed(
            .init(
                .timedOut, "the recording from '\(source.name)' broke off", cause: "\(interruption)",
                remedy: "See that nothing suspends the source and that its device works; what was recorded is kept."))
    }

    /// Looks for the source, or by the policy for another.
    ///
    /// - Parameter isSettled: Whether a source that is missing is gone, rather than not there yet.
    func outlook(of interruption: RecordingInterruption, isSettled: Bool) async -> Outlook {
        if interruption == .call, await watch?.callGoesOn() == true { return .hold }
        if configuration.interruptions.followsDefault, case .found(let found) = await fallback() {
            return .found(found)
        }
        do throws(ACCAudioRecorderError) {
            let found = try await PreparedSource(configuration, exactName: source.name)
            guard interruption != .streamKilled else { return .end(killed, removesFiles: false) }
            return .found(found)
        } catch {
            guard isSettled, error.failure?.reason == .noSuchSource else { return .wait(error) }
            let policy = configuration.interruptions.onDisconnect
            switch policy {
            case .pause: return .wait(lost)
            case .stop, .discard: return .end(lost, removesFiles: policy == .discard)
            case .fallback: return await fallback()
            }
        }
    }

    private func fallback() async -> Outlook {
        do throws(ACCAudioRecorderError) {
            var anySource = configuration
            anySource.sourceName = nil
            let found = try await PreparedSource(anySource, isFallback: true)
            return .found(found)
        } catch {
            return .wait(lost, switchFailure: error)
        }
    }

    /// Tells the subscribers that there is no other source to go on with.
    func noteSwitchFailed(_ error: ACCAudioRecorderError) {
        broadcast.events.send(.switchFailed(error))
    }

    private var killed: ACCAudioRecorderError {
        .captureFailed(
            .init("the recording from '\(source.name)' broke off", PulseFailure(PA_ERR_KILLED)))
    }

    private var lost: ACCAudioRecorderError {
        .captureFailed(
            .init(
                .deviceLost, "the recording from '\(source.name)' broke off",
                cause: "its device has gone, and did not come back in time",
                remedy: "Plug it in again, or record from another source; what was recorded is kept."))
    }
}

// MARK: - The end

extension RecordingSession {
    /// Ends the recording, tells its subscribers and ends their streams.
    ///
    /// A recording that ends as it was asked to has everything captured until now. One that ends by itself
    /// is complete already. A recording without a frame leaves no file.
    ///
    /// - Parameter removesFiles: Whether a recording that failed goes with its files.
    func end(_ ending: RecordingReport.Ending, removesFiles: Bool = false) async -> RecordingReport {
        switch ending {
        case .finished: await stopStretch(.after(hostTime: MonotonicClock.now()))
        case .discarded, .failed: await stopStretch(.now)
        // The engine is done; what the capture still reads is let go of at the end, which costs nobody time.
        case .limitReached: break
        }

        let report: RecordingReport
        if ending == .discarded || removesFiles {
            report = engine.discard(ending, source: source)
        } else if engine.frameCount == 0 {
            report = engine.discard(failure(ofEmpty: ending), source: source)
        } else {
            stopWatching()
            report = engine.finish(ending, source: source, serverAlterations: state.withLock { $0.serverAlterations })
        }
        stopWatching()
        if case .failed(let error) = report.ending { broadcast.events.send(.brokeOff(error)) }
        broadcast.events.send(.finished(report))
        broadcast.finish()
        await stopStretch(.now)
        return report
    }

    private func failure(ofEmpty ending: RecordingReport.Ending) -> RecordingReport.Ending {
        if case .failed = ending { return ending }
        return .failed(
            .nothingRecorded(
                .init(
                    .noFrames, "nothing was recorded", cause: "'\(source.name)' delivered no frame",
                    remedy: "See that the source is not suspended and that its device works; no file was left.")))
    }
}
