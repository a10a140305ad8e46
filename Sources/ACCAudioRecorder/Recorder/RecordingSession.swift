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
        /// Each time that the source has delivered nothing for `FragmentRing.idleTime`. For one consumer.
        let idleTimes: AsyncStream<Void>
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
        var followed = FollowedSource()
        /// What the recording was interrupted by, while it is.
        var interruption: RecordingInterruption?
    }

    init(
        _ configuration: ACCAudioRecorder.Configuration, source: AudioSource, engine: RecordingEngine,
        broadcast: RecordingBroadcast, warnings: RecordingWarnings
    ) {
        self.configuration = configuration
        self.warnings = warnings
        state = Mutex(State(source: source))
        self.engine = engine
        self.broadcast = broadcast
        engine.setServerAlterations { [weak self] in
            self?.state.withLock { $0.followed.allAlterations } ?? []
        }
    }

    /// A session that could not be started leaves its watch behind.
    deinit {
        state.withLock { $0.followed.stop() }
    }

    /// The stretch that is being captured; nil while paused or interrupted.
    var currentStretch: Stretch? { state.withLock { $0.stretch } }

    /// What is recorded, or was before the interruption.
    var source: AudioSource { state.withLock { $0.source } }

    var watch: SourceWatch? { state.withLock { $0.followed.watch } }

    /// The length in seconds, pauses excluded.
    var duration: TimeInterval { Double(engine.frameCount) / Double(engine.sampleRate) }

    /// Sets the length at which the recording ends by itself: exactly `round(limit × rate)` frames.
    func setLimit(_ limit: TimeInterval?) {
        engine.setLimit(limit ?? .infinity)
    }
}

// MARK: - Cues

extension RecordingSession {
    /// Sets a marker at the frame that is captured now; after the last one where none is.
    func mark(_ label: String?) {
        engine.cueRequests.add(CueRequest(kind: .marker(label: label), hostTime: MonotonicClock.now()))
        if currentStretch == nil { engine.placeMarkers() }
    }

    /// Lets the outputs go on in new files from the frame that is captured now, or the next one.
    func startNewFiles() {
        engine.cueRequests.add(CueRequest(kind: .newFiles, hostTime: MonotonicClock.now()))
    }
}

// MARK: - The source

extension RecordingSession {
    /// Follows the source that was found, in place of the one before.
    func watchSource(_ found: PreparedSource) async throws(ACCAudioRecorderError) {
        do throws(PulseFailure) {
            let (watch, watching) = try await SourceWatch.start(
                on: found.source, of: configuration, control: found.control, broadcast: broadcast, warnings: warnings,
                onSuspension: { [engine] in engine.noteSuspension() })
            state.withLock { $0.followed.follow(by: watch, watching) }
        } catch {
            throw .audioEngineStartFailed(.init("cannot watch the source '\(found.source.name)'", error))
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
        await watch?.follow(capture)
    }

    /// Begins a stretch on an opening of the source.
    func record(_ capture: Capture) async throws(ACCAudioRecorderError) {
        let end = Promise<RecordingEngine.StretchEnd>()
        let (idleTimes, idling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        do throws(ACCAudioRecorderError) {
            let interruption = state.withLock { $0.interruption }
            try DetachedThread.start("engine") { [engine] in
                end.fulfil(
                    engine.record(
                        capture.ring, from: capture.source, holdBack: capture.holdBack,
                        keptLength: { capture.keptLength }, after: interruption, noteIdle: { idling.yield() }))
                idling.finish()
            }
        } catch {
            await capture.stop(.now)
            throw error
        }
        state.withLock { $0.stretch = Stretch(capture: capture, end: end, idleTimes: idleTimes) }
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
    /// Whether the server still has a source, and not another of its name.
    func isPresent(_ source: AudioSource) async -> Bool {
        await watch?.isPresent(source) ?? false
    }

    /// Leaves the source, and tells the subscribers why.
    func interrupt(_ interruption: RecordingInterruption) async {
        await stopStretch(.now)
        state.withLock { $0.interruption = interruption }
        broadcast.events.send(.interrupted(interruption))
    }

    /// How long the capture has delivered nothing, beyond what is to be expected; nil where that is not so.
    var quietTime: Duration? {
        guard let quiet = currentStretch?.capture.quietTime, quiet > expectedQuiet else { return nil }
        return quiet
    }

    /// After how long that is so, if nothing is delivered until then; nil where something was just now.
    var timeUntilQuiet: Duration? {
        guard let capture = currentStretch?.capture else { return nil }
        return capture.hasBegun && capture.quietTime < Self.longestQuiet / 2 ? nil : expectedQuiet - capture.quietTime
    }

    private static let longestQuiet = Duration.nanoseconds(FragmentRing.idleTime)

    /// A source may need a while before its first frame, such as a Bluetooth headset or a sink that renders in blocks
    /// of two seconds.
    private var expectedQuiet: Duration {
        currentStretch?.capture.hasBegun == true ? Self.longestQuiet : Self.longestQuiet * 2
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
        .quietForTooLong(source, interruption)
    }

    /// Looks for the source, or by the policy for another.
    ///
    /// - Parameter isSettled: Whether a source that is missing is gone, rather than not there yet.
    func outlook(of interruption: RecordingInterruption, isSettled: Bool) async -> RecoverySearch.Outlook {
        await RecoverySearch(configuration: configuration, source: source, watch: watch)
            .outlook(of: interruption, isSettled: isSettled)
    }

    /// Tells the subscribers that there is no other source to go on with.
    func noteSwitchFailed(_ error: ACCAudioRecorderError) {
        broadcast.events.send(.switchFailed(error))
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
            report = await engine.discard(ending, source: source)
        } else if engine.frameCount == 0 {
            report = await engine.discard(failure(ofEmpty: ending), source: source)
        } else {
            let alterations = state.withLock { state in
                state.followed.stop()
                return state.followed.alterations
            }
            report = await engine.finish(ending, source: source, serverAlterations: alterations)
        }
        state.withLock { $0.followed.stop() }
        if case .failed(let error) = report.ending { broadcast.events.send(.brokeOff(error)) }
        broadcast.events.send(.finished(report))
        broadcast.finish()
        await stopStretch(.now)
        return report
    }

    private func failure(ofEmpty ending: RecordingReport.Ending) -> RecordingReport.Ending {
        if case .failed = ending { return ending }
        return .failed(.noFrames(of: source))
    }
}
