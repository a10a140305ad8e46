import FoundationEssentials
import Synchronization

/// One recording from start to end: its outputs, its subscribers, and the segment being captured.
///
/// The recorder calls its mutating methods one at a time, inside the command gate. Queries about source and server may
/// come at any time.
final class RecordingSession: Sendable {
    /// One run of the engine, on one opening of the source.
    struct Segment: Sendable {
        let input: any CaptureInput
        /// Fulfilled when the engine is done with the segment.
        let end: Promise<RecordingEngine.SegmentEnd>
        let ending: EndRequest
        /// Whether the source delivers, at each change. For one consumer.
        let flow: AsyncStream<SourceFlow>
    }

    /// A request to interrupt the recording: a call has begun, or the default source is another.
    struct InterruptionRequest: Sendable {
        let cause: RecordingInterruption
        /// The number of the watch that makes it.
        let watchNumber: Int
    }

    /// Fulfilled when the recording has ended.
    let report = Promise<RecordingReport>()
    let engine: RecordingEngine
    let broadcast: RecordingBroadcast
    /// For one consumer.
    let interruptionRequests: AsyncStream<InterruptionRequest>
    private let requestInterruption: AsyncStream<InterruptionRequest>.Continuation
    private let configuration: ACCAudioRecorder.Configuration
    private let backend: any CaptureBackend
    private let warnings: RecordingWarnings
    /// The length of audio in seconds that its inputs keep; 0 for none.
    let keptLength: Double
    private let state: Mutex<State>

    private struct State {
        var source: AudioSource
        /// The source as it was found for the last segment.
        var found: FoundSource
        /// The source that stays open for the next recording; nil as long as this one goes on.
        var kept: FoundSource?
        /// The segment being captured; nil while paused or interrupted.
        var segment: Segment?
        /// Why the source was closed; nil while it is open, and during the user's pause.
        var interruption: RecordingInterruption?
        /// The captured format of the last segment; nil before the first.
        var captured: StreamFormat?
        var isPaused = false
        var followed = FollowedSource()
        /// The inputs; nil for one.
        var tracks: TrackSet?
    }

    init(
        _ configuration: ACCAudioRecorder.Configuration, backend: any CaptureBackend, found: FoundSource,
        engine: RecordingEngine, broadcast: RecordingBroadcast, warnings: RecordingWarnings
    ) {
        self.configuration = configuration
        keptLength = found.keptLength
        self.backend = backend
        self.warnings = warnings
        state = Mutex(State(source: found.source, found: found))
        self.engine = engine
        self.broadcast = broadcast
        (interruptionRequests, requestInterruption) = AsyncStream.makeStream()
        engine.setServerProcessings { [weak self] in
            self?.state.withLock { $0.tracks?.processingSteps ?? $0.followed.allProcessingSteps } ?? []
        }
    }

    /// Stops the watch of a session whose start failed.
    deinit {
        state.withLock { state in
            state.followed.stop()
            state.tracks?.close()
        }
    }

    /// The segment being captured; nil while paused or interrupted.
    var currentSegment: Segment? { state.withLock { $0.segment } }

    /// The segment that a request interrupts; nil if the source was opened again since, or is closed.
    func segment(interruptedBy request: InterruptionRequest) -> Segment? {
        state.withLock { $0.followed.watchNumber == request.watchNumber ? $0.segment : nil }
    }

    /// The source being recorded, or recorded before the interruption.
    var source: AudioSource {
        state.withLock { $0.tracks == nil ? $0.followed.watch?.application ?? $0.source : $0.source }
    }

    /// The watch of the source, or of the first input.
    var watch: SourceWatch? { state.withLock { $0.tracks?.firstWatch ?? $0.followed.watch } }

    /// The recording's length in seconds, pauses excluded.
    var duration: TimeInterval { Double(engine.frameCount) / Double(engine.sampleRate) }

    /// Sets the length at which the recording ends by itself: exactly `round(limit × rate)` frames.
    func setLimit(_ limit: TimeInterval?) {
        engine.setLimit(limit ?? .infinity)
    }
}

// MARK: - Markers and new files

extension RecordingSession {
    /// Sets a marker at the frame being captured now, or after the last one if nothing is being captured.
    func mark(_ label: String?) {
        engine.requestMarker(label, at: backend.now())
        if currentSegment == nil { engine.placeMarkers() }
    }

    /// Continues in new files from the frame being captured now, or from the next one.
    func startNewFiles() {
        engine.requestNewFiles(at: backend.now())
    }
}

// MARK: - The source

extension RecordingSession {
    /// Watches this source instead of the previous one.
    ///
    /// - Parameter continuesCalls: Whether calls interrupt the recording that began since it was watched last.
    func watchSource(
        _ found: FoundSource, continuesCalls: Bool = false
    ) async throws(ACCAudioRecorderError) {
        let number = state.withLock { $0.followed.watchNumber } + 1
        let noteMute = { @Sendable [engine, backend] (isMuted: Bool, source: AudioSource) in
            engine.noteMute(isMuted, of: source, at: backend.now())
        }
        do throws(CaptureFailure) {
            if let tracks = found.tracks {
                state.withLock { state in
                    state.tracks?.close()
                    state.tracks = tracks
                }
                return try await tracks.watch(for: broadcast, warnings, noteMute: noteMute) {
                    [requestInterruption] in
                    requestInterruption.yield(.init(cause: $0, watchNumber: number - 1))
                }
            }
            let (watch, watching) = try await SourceWatch.start(
                on: found.source, playing: found.choice, knowing: continuesCalls ? watch?.knownCalls : nil,
                of: configuration, connection: found.connection,
                broadcast: broadcast,
                warnings: warnings, noteMute: noteMute,
                interrupt: { [requestInterruption] in
                    requestInterruption.yield(.init(cause: $0, watchNumber: number))
                })
            state.withLock { $0.followed.follow(by: watch, watching) }
        } catch {
            throw .audioEngineStartFailed(.init("cannot watch the source '\(found.source.name)'", error))
        }
    }
}

// MARK: - Segments

extension RecordingSession {
    /// Captures everything until now, then closes the source. The outputs stay open.
    ///
    /// - Parameter cause: The reason for an interruption; nil for the user's pause.
    func closeSource(after cause: RecordingInterruption?) async {
        let now = backend.now()
        await stopSegment(.after(hostTime: now))
        // The gap of an interruption ends with its first frame.
        if cause == nil { await recordMissingEnd(until: now, isBeforePause: true) }
        state.withLock { ($0.interruption, $0.isPaused) = (cause, cause == nil) }
        // Several inputs are reported one by one.
        if cause == .deviceLost, state.withLock({ $0.tracks == nil }) { watch?.reportLoss() }
        if let cause {
            engine.endMutes(at: now)
            broadcast.events.send(.interrupted(cause))
        } else {
            broadcast.events.send(.paused(frame: engine.frameCount))
        }
    }

    /// The channels of one input, of several that are recorded as tracks.
    ///
    /// - Throws: `audioFormatCreationFailed` if there are none.
    func channels(ofInput name: String) throws(ACCAudioRecorderError) -> TrackChannels {
        let obstacle = configuration.obstacle(toTrack: name)
        if obstacle == nil, let channels = state.withLock({ $0.tracks })?.channels(ofInput: name) { return channels }
        throw .audioFormatCreationFailed(
            .init(
                .invalidFormat, "cannot choose the channels of '\(name)'",
                cause: obstacle?.cause ?? "no source is open",
                remedy: obstacle?.remedy ?? "Wait until the recording has begun."))
    }

    /// The captured format of a source.
    func captured(of source: AudioSource) throws(ACCAudioRecorderError) -> StreamFormat {
        try configuration.capturedForm(of: source)
    }

    /// Finds the recording's source again, in its current format.
    func findSourceAgain() async throws(ACCAudioRecorderError) -> FoundSource {
        try await FoundSource(
            configuration, from: backend, exactName: source.name, continuing: watch?.choice,
            tracks: state.withLock { $0.tracks })
    }

    /// Continues with a source that was found, in its current format.
    ///
    /// - Parameter interruption: The interruption that ended the previous segment; nil after a pause, which is no gap.
    func resume(
        with found: FoundSource, after interruption: RecordingInterruption? = nil
    ) async throws(ACCAudioRecorderError) {
        // Several report their returns themselves.
        if found.tracks == nil, found.source.name == source.name { watch?.reportReturn(of: found.source) }
        try await watchSource(found, continuesCalls: interruption != nil)
        var found = found
        let input = try await found.open(
            .after(hostTime: backend.now()), keeping: keptLength, orLess: true)
        try await record(input, as: found.captured, after: interruption)
        if source.name != found.source.name { broadcast.events.send(.fellBack(from: source, to: found.source)) }
        state.withLock { ($0.source, $0.found) = (found.source, found) }
        broadcast.events.send(.resumed(found.source))
        if found.tracks == nil { await watch?.follow(input) }
        // A call may have begun while the source was away.
        if interruption != nil, await watch?.isCallActive == true {
            let number = state.withLock { $0.followed.watchNumber }
            requestInterruption.yield(.init(cause: .call, watchNumber: number))
        }
    }

    /// Begins a segment on an input.
    ///
    /// - Parameters:
    ///   - captured: The captured format.
    ///   - interruption: The interruption between the previous segment and this one, which is recorded as a gap.
    ///   - preRoll: What precedes the start of the recording, of which this is the first segment.
    func record(
        _ input: any CaptureInput, as captured: StreamFormat, after interruption: RecordingInterruption? = nil,
        preRoll: PreRoll? = nil
    ) async throws(ACCAudioRecorderError) {
        let end = Promise<RecordingEngine.SegmentEnd>()
        let ending = EndRequest()
        let (flow, flowing) = AsyncStream.makeStream(of: SourceFlow.self)
        do throws(ACCAudioRecorderError) {
            try DetachedThread.start("engine") { [engine] in
                end.fulfil(
                    engine.record(
                        input.ring, from: input.source, as: captured, after: interruption, preRoll: preRoll,
                        ending: ending
                    ) { flowing.yield($0) })
                flowing.finish()
            }
        } catch {
            await input.stop(.now)
            throw error
        }
        state.withLock {
            $0.segment = Segment(input: input, end: end, ending: ending, flow: flow)
            ($0.interruption, $0.isPaused, $0.captured) = (nil, false, captured)
        }
    }

    private func stopSegment(_ stop: CaptureStop) async {
        guard let segment = currentSegment else { return }
        await segment.input.stop(stop)
        _ = await segment.end.value
        state.withLock { $0.segment = nil }
    }
}

// MARK: - The next recording

extension RecordingSession {
    /// Ends the segment with the last frame captured until a time, or at once, and leaves its input open. Waits for the source
    /// as long as a stop does.
    private func leaveSegment(_ stop: CaptureStop) async {
        guard let segment = currentSegment else { return }
        let end = { @Sendable (hostTime: UInt64, isDue: Bool) in
            segment.ending.request(after: hostTime, isDue: isDue)
            segment.input.ring.wakeConsumer()
        }
        guard case .after(let hostTime) = stop else {
            end(0, true)
            _ = await segment.end.value
            return
        }
        end(hostTime, false)
        let rest = Task {
            // What was captured by then may still be on its way.
            try await Task.sleep(for: CaptureStop.grace)
            end(hostTime, true)
        }
        _ = await segment.end.value
        rest.cancel()
    }

    /// Keeps the input open for the next recording, if it has one that can go on.
    ///
    /// - Parameter seconds: The length of the audio to keep.
    private func keepSource(keeping seconds: Double) async {
        var found = state.withLock { $0.found }
        // Several inputs are aligned again for each recording.
        guard let input = currentSegment?.input, input.isOpen, found.tracks == nil else {
            return await stopSegment(.now)
        }
        let isKept = (try? await found.goOn(with: input, keeping: seconds, from: engine.endPlace)) != nil
        if !isKept { await found.release() }
        state.withLock { state in
            state.segment = nil
            state.kept = isKept ? found : nil
        }
    }

    /// The source that stays open for the next recording; nil if none does.
    var keptSource: FoundSource? { state.withLock { $0.kept } }
}

// MARK: - Interruptions

extension RecordingSession {
    /// Whether the source is suspended, according to the server.
    var isSourceSuspended: Bool {
        get async { await watch?.isSourceSuspended ?? false }
    }

    /// Sends an event that the source, which stays open, was suspended, for this reason, or delivers again (nil).
    func report(_ interruption: RecordingInterruption?) {
        broadcast.events.send(interruption.map { .interrupted($0) } ?? .resumed(source))
    }

    /// How the recording ends because its source, which stays open, was suspended for this reason; nil if it waits.
    func ending(by interruption: RecordingInterruption) -> (error: ACCAudioRecorderError, removesFiles: Bool)? {
        guard interruption == .applicationAbsent, engine.frameCount > 0 else { return nil }
        return recovery.endingWithoutApplication
    }

    private var recovery: Recovery {
        Recovery(
            configuration: configuration, backend: backend, source: source, watch: watch,
            tracks: state.withLock { $0.tracks })
    }

    /// The error of a recording whose source delivered nothing for too long.
    func failure(of interruption: RecordingInterruption) -> ACCAudioRecorderError {
        guard source.kind == .application else { return .quietForTooLong(source, interruption) }
        return engine.frameCount == 0
            ? .applicationNeverPlayed(source) : .applicationStopped(source, interruption, .pause)
    }

    /// Looks for the source, or for another one if the policy allows it.
    ///
    /// - Parameter isSettled: Whether a missing source is gone, rather than not there yet.
    func decision(after interruption: RecordingInterruption, isSettled: Bool) async -> Recovery.Decision {
        await recovery.decision(after: interruption, isSettled: isSettled)
    }

    /// Fulfilled when the server announces the next change, which may let the recording continue.
    var nextChange: Promise<Void> { watch?.nextChange ?? Promise() }

    /// Sends an event that the recording cannot continue with a source, or that there is none to switch to.
    func reportSwitchFailure(_ error: ACCAudioRecorderError) {
        broadcast.events.send(.switchFailed(error))
    }
}

// MARK: - The end

extension RecordingSession {
    /// Ends the recording, sends its report and ends the streams.
    ///
    /// The recording has everything captured until now. A recording without a frame leaves no file.
    ///
    /// - Parameters:
    ///   - removesFiles: Whether to remove all files, also those before the current ones of a discarded recording.
    ///   - keptLength: The length in seconds of the audio that the source keeps for the next recording; nil to close it.
    func end(
        _ ending: RecordingReport.Ending, removesFiles: Bool = false, keeping keptLength: Double? = nil
    ) async -> RecordingReport {
        let (source, now) = (source, backend.now())
        let stop: CaptureStop? =
            switch ending {
            case .finished, .failed: removesFiles ? .now : .after(hostTime: now)
            case .discarded: .now
            // The engine is done. The input is stopped at the end, where nobody waits for it.
            case .limit, .silence: nil
            }
        if let keptLength {
            if let stop { await leaveSegment(stop) }
            await keepSource(keeping: keptLength)
        } else if let stop {
            await stopSegment(stop)
        }
        if case .after = stop { await recordMissingEnd(until: now) }

        var report: RecordingReport
        if removesFiles {
            report = await engine.discard(ending, source: source)
        } else if ending == .discarded {
            report = await engine.discardCurrentFiles(ending, source: source)
        } else if engine.frameCount == 0 {
            report = await engine.discard(failure(ofEmpty: ending), source: source)
        } else {
            let processingSteps = state.withLock { state in
                state.followed.stop()
                return state.tracks?.processingSteps ?? state.followed.processingSteps
            }
            report = await engine.finish(ending, source: source, serverProcessing: processingSteps)
        }
        report.inputs = state.withLock { $0.tracks }?.inputs ?? []
        state.withLock { state in
            state.followed.stop()
            state.tracks?.close()
        }
        requestInterruption.finish()
        if case .failed(let error) = report.ending { broadcast.events.send(.brokeOff(error)) }
        broadcast.events.send(.finished(report))
        broadcast.finish()
        await stopSegment(.now)
        self.report.fulfil(report)
        return report
    }

    /// What is still to be done with captured audio, for people; nil if nothing is.
    var unfinishedWork: String? {
        currentSegment == nil ? engine.waitingOutput.map { "\($0)" } : "the conversion of what was captured"
    }

    /// Records a gap before the end, or a pause, if the source was away, suspended or silent until then, or if the server has
    /// dropped the last part.
    private func recordMissingEnd(until hostTime: UInt64, isBeforePause: Bool = false) async {
        let state = state.withLock { (isPaused: $0.isPaused, interruption: $0.interruption, captured: $0.captured) }
        guard !state.isPaused, let captured = state.captured,
            var missing = engine.missing(until: hostTime, after: state.interruption),
            // An input that has ended, without anything in it.
            let ring = try? CaptureRing(slotBytes: source.sampleSpec.bytesPerFrame, waitingSlots: 1)
        else { return }
        // Whoever pauses a recording that is interrupted pauses it from there on.
        // What an application did not play after its last sound is not missing of it.
        let isSilence = [.interruption(.applicationAbsent), .interruption(.applicationPaused)].contains(missing.cause)
        guard !isSilence || configuration.interruptions.fillsGaps else { return }
        guard !isBeforePause || [.dropped, .interruption(.stalled)].contains(missing.cause) else { return }
        ring.close(.stopped)
        missing.isBeforePause = isBeforePause
        let (end, source) = (Promise<Void>(), source)
        let record = { @Sendable [engine, missing] in
            _ = engine.record(ring, from: source, as: captured, missingEnd: missing)
            end.fulfil(())
        }
        // Filling the gap may wait for a disk. Without a thread, the report is right all the same.
        do { try DetachedThread.start("engine", record) } catch { record() }
        await end.value
    }

    private func failure(ofEmpty ending: RecordingReport.Ending) -> RecordingReport.Ending {
        // Nothing is what a limit of 0 asks for.
        if ending == .limit { return ending }
        if case .failed = ending { return ending }
        return .failed(.noFrames(of: source))
    }
}
