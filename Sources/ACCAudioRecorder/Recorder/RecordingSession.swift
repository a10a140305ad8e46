import FoundationEssentials
import Synchronization

/// One recording from start to end: its source, its outputs, its subscribers, and the segment being captured.
///
/// The recorder calls its mutating methods one at a time, inside the command gate. Queries about source and server may
/// come at any time.
final class RecordingSession: Sendable {
    /// Fulfilled when the recording has ended.
    let report = Promise<RecordingReport>()
    let engine: RecordingEngine
    let broadcast: RecordingBroadcast
    private let configuration: ACCAudioRecorder.Configuration
    private let backend: any CaptureBackend
    let recorded: RecordedSource
    /// The length of audio in seconds that its inputs keep; 0 for none.
    let keptLength: Double
    /// When its first frame is to be captured, in CLOCK_MONOTONIC nanoseconds; nil for as soon as possible.
    private let startTime: UInt64?
    private let state: Mutex<State>

    private struct State {
        /// The source that stays open for the next recording; nil as long as this one goes on.
        var kept: FoundSource?
        /// The segment being captured; nil while paused or interrupted.
        var segment: CapturedSegment?
        /// Why the source was closed; nil while it is open, and during the user's pause.
        var interruption: RecordingInterruption?
        /// The captured format of the last segment; nil before the first.
        var captured: StreamFormat?
        var isPaused = false
    }

    init(
        _ configuration: ACCAudioRecorder.Configuration, backend: any CaptureBackend, found: FoundSource,
        engine: RecordingEngine, broadcast: RecordingBroadcast, warnings: RecordingWarnings, startTime: UInt64? = nil
    ) {
        self.configuration = configuration
        self.startTime = startTime
        keptLength = found.keptLength
        self.backend = backend
        state = Mutex(State())
        self.engine = engine
        self.broadcast = broadcast
        recorded = RecordedSource(
            found, configuration, backend: backend, controls: engine.controls, broadcast: broadcast,
            warnings: warnings)
    }

    /// The segment being captured; nil while paused or interrupted.
    var currentSegment: CapturedSegment? { state.withLock { $0.segment } }

    /// The segment that a request interrupts; nil if the source was opened again since, or is closed.
    func segment(interruptedBy request: RecordedSource.InterruptionRequest) -> CapturedSegment? {
        recorded.isCurrent(request) ? currentSegment : nil
    }

    /// The source being recorded, or recorded before the interruption.
    var source: AudioSource { recorded.current }

    /// The recording's length in seconds, pauses excluded.
    var duration: TimeInterval { Double(engine.frameCount) / Double(engine.sampleRate) }

    /// Sets the length at which the recording ends by itself: exactly `round(limit × rate)` frames.
    func setLimit(_ limit: TimeInterval?) {
        engine.controls.limit = limit ?? .infinity
    }
}

// MARK: - Markers and new files

extension RecordingSession {
    /// Sets a marker at the frame being captured now, or after the last one if nothing is being captured.
    func mark(_ label: String?) {
        engine.controls.requestMarker(label, at: backend.now())
        if currentSegment == nil { engine.placeMarkers() }
    }

    /// Continues in new files from the frame being captured now, or from the next one.
    func startNewFiles() {
        engine.controls.requestNewFiles(at: backend.now())
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
        if cause == .deviceLost { recorded.reportLoss() }
        if let cause {
            engine.controls.mutes.end(at: now)
            broadcast.events.send(.interrupted(cause))
        } else {
            broadcast.events.send(.paused(frame: engine.frameCount))
        }
    }

    /// The captured format of a source.
    func captured(of source: AudioSource) throws(ACCAudioRecorderError) -> StreamFormat {
        try configuration.capturedForm(of: source)
    }

    /// Continues with a source that was found, in its current format.
    ///
    /// - Parameter interruption: The interruption that ended the previous segment; nil after a pause, which is no gap.
    func resume(
        with found: FoundSource, after interruption: RecordingInterruption? = nil
    ) async throws(ACCAudioRecorderError) {
        recorded.reportReturn(of: found)
        try await recorded.watch(found, continuesCalls: interruption != nil)
        var found = found
        let input = try await found.open(
            .after(hostTime: backend.now()), keeping: keptLength, orLess: true)
        try await record(input, as: found.captured, after: interruption)
        if source.name != found.source.name { broadcast.events.send(.fellBack(from: source, to: found.source)) }
        recorded.replace(with: found)
        broadcast.events.send(.resumed(found.source))
        await recorded.follow(input)
        if interruption != nil { await recorded.interruptIfCalled() }
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
        let segment = try await CapturedSegment(
            input, as: captured, by: engine, after: interruption, preRoll: preRoll)
        state.withLock {
            ($0.segment, $0.interruption, $0.isPaused, $0.captured) = (segment, nil, false, captured)
        }
    }

    private func stopSegment(_ stop: CaptureStop) async {
        guard let segment = currentSegment else { return }
        broadcast.hurry(true)
        defer { broadcast.hurry(false) }
        await segment.stop(stop)
        state.withLock { $0.segment = nil }
    }
}

// MARK: - The next recording

extension RecordingSession {
    /// Keeps the input open for the next recording, if it has one that can go on.
    ///
    /// - Parameter seconds: The length of the audio to keep.
    private func keepSource(keeping seconds: Double) async {
        var found = recorded.found
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
    /// Sends an event that the source, which stays open, was suspended, for this reason, or delivers again (nil).
    func report(_ interruption: RecordingInterruption?) {
        broadcast.events.send(interruption.map { .interrupted($0) } ?? .resumed(source))
    }

    /// How the recording ends because its source, which stays open, was suspended for this reason; nil if it waits.
    func ending(by interruption: RecordingInterruption) -> (error: ACCAudioRecorderError, removesFiles: Bool)? {
        guard interruption == .applicationAbsent, engine.frameCount > 0 else { return nil }
        return recorded.recovery.endingWithoutApplication
    }

    /// The error of a recording whose source delivered nothing for too long.
    func failure(of interruption: RecordingInterruption) -> ACCAudioRecorderError {
        guard source.kind == .application else { return .quietForTooLong(source, interruption) }
        return engine.frameCount == 0
            ? .applicationNeverPlayed(source) : .applicationStopped(source, interruption, .pause)
    }

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
            broadcast.hurry(true)
            defer { broadcast.hurry(false) }
            if let stop { await currentSegment?.leave(stop) }
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
            recorded.stopWatching()
            report = await engine.finish(ending, source: source, serverProcessing: recorded.processingSteps)
        }
        report.inputs = recorded.inputs
        recorded.close()
        if case .failed(let error) = report.ending { broadcast.events.send(.brokeOff(error)) }
        broadcast.events.send(.finished(report))
        broadcast.finish(report)
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
        guard !state.isPaused, !isBeforeStart, let captured = state.captured,
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

    /// Whether the time with which the recording begins is still to come.
    private var isBeforeStart: Bool { startTime.map { backend.now() < $0 } ?? false }

    private func failure(ofEmpty ending: RecordingReport.Ending) -> RecordingReport.Ending {
        // Nothing is what a limit of 0 asks for, and what there is before the time with which the recording begins.
        if ending == .limit || isBeforeStart { return ending }
        if case .failed = ending { return ending }
        return .failed(.noFrames(of: source))
    }
}
