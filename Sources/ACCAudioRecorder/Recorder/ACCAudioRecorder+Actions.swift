/// What commands, interruptions and the end of a recording share.
extension ACCAudioRecorder {
    /// The interval at which the state is sent while recording.
    private static let stateInterval = Duration.milliseconds(100)

    /// The state that subscribers get.
    var state: RecordingState {
        RecordingState(
            isRecording: machine.phase != .idle, isPaused: machine.isWaiting, currentDuration: session?.duration)
    }

    /// Waits for the caller's turn; `gate.leave()` ends it.
    func enter() async {
        if gate.tryEnter() { return }
        await withCheckedContinuation { gate.queue($0) }
    }

    /// Waits for its turn, passes an event to the state machine and performs the resulting action.
    ///
    /// - Parameters:
    ///   - expected: The recording that the event belongs to; nil for the current one.
    ///   - keepsSource: Whether the source stays open for the next take.
    ///   - isCurrent: Whether the event is still relevant; called when its turn has come.
    /// - Returns: The report of a recording that the event ended.
    @discardableResult
    func handle(
        _ event: RecordingStateMachine.Event, of expected: RecordingSession? = nil, keepsSource: Bool = false,
        if isCurrent: () -> Bool = { true }
    ) async -> RecordingReport? {
        await enter()
        defer { gate.leave() }
        // What belongs to a recording does not concern a source that is prepared for the next one.
        if expected == nil, !keepsSource, [.finish, .discard, .discardCurrentFiles].contains(event) {
            rearming?.cancel()
            rearming = nil
            await prepared?.release()
            (prepared, takePreRoll) = (nil, nil)
        }
        guard let session, expected == nil || session === expected, isCurrent() else { return nil }
        switch machine.handle(event) {
        case .nothing, .refuse, .open, .reportLimit:
            return nil
        case .closeSource(let interruption):
            await session.closeSource(after: interruption?.cause)
            session.broadcast.send(state: state)
            waiting?.cancel()
            waiting = interruption.map { recovery(of: session, from: $0) }
            return nil
        case .report(let interruption):
            session.report(interruption)
            if interruption != nil { endIfSuspendedForTooLong(session) }
            session.broadcast.send(state: state)
            return nil
        case .end(let ending, let removesFiles):
            ticker?.cancel()
            ticker = nil
            waiting?.cancel()
            waiting = nil
            let report = await session.end(ending, removesFiles: removesFiles, keeping: takePreRoll)
            subscriptions.end(session.broadcast)
            self.session = nil
            if let takePreRoll {
                prepared = session.keptSource
                rearm(keeping: takePreRoll)
            }
            return report
        }
    }

    /// Reopens the source of a recording, as the state machine has decided.
    ///
    /// - Parameter find: Finds the source.
    func open(
        _ session: RecordingSession, after interruption: RecordingInterruption? = nil,
        _ find: () async throws(ACCAudioRecorderError) -> FoundSource
    ) async throws(ACCAudioRecorderError) {
        do throws(ACCAudioRecorderError) {
            try await session.resume(with: find(), after: interruption)
        } catch {
            machine.opened(false)
            throw error
        }
        machine.opened(true)
        session.broadcast.send(state: state)
        watchSegment()
    }

    /// Calls the limit handler, then ends the recording that reached its limit.
    func limitReached(by ended: RecordingSession) async {
        guard session === ended, machine.handle(.limitReached) == .reportLimit else { return }
        ended.broadcast.events.send(.limit)
        // Outside the gate: the handler may call any of our methods.
        await onTimeLimitReached?()
        await handle(.limitReported, of: ended)
    }

    /// Handles an event that ends a recording without the user, if it is still relevant, and calls the handler for it.
    func endByItself(
        _ event: RecordingStateMachine.Event, _ ended: RecordingSession, if isCurrent: () -> Bool = { true }
    ) async {
        guard await handle(event, of: ended, if: isCurrent) != nil, let handler = onUnrecoverableInterruption else {
            return
        }
        // In a task of its own, because the one that has waited for the source is cancelled by now.
        await Task { await handler() }.value
    }

    /// Sends the state at intervals, as long as it has subscribers.
    func startTicker(for session: RecordingSession) {
        guard ticker == nil else { return }
        var time = clock.now
        ticker = Task { [weak self, clock] in
            repeat {
                time = max(time + Self.stateInterval, clock.now)
                // A cancelled sleep returns at once, and so would every later one.
                guard (try? await clock.sleep(until: time)) != nil else { return }
            } while await self?.tick(session) ?? false
        }
    }

    /// Sends the state once; false if nobody subscribes or the recording is over.
    private func tick(_ ticking: RecordingSession) -> Bool {
        guard session === ticking else { return false }
        guard ticking.broadcast.states.hasSubscribers else {
            ticker = nil
            return false
        }
        if case .recording = machine.phase { ticking.broadcast.send(state: state) }
        return true
    }
}

// Markers and new files, set while a recording continues.

extension ACCAudioRecorder {
    /// Sets a marker at the frame being captured now; in a pause, after the last frame. Does nothing without a
    /// recording.
    ///
    /// A marker is sent as an event and written at once to a sidecar file beside each output file, which Audacity can
    /// import (`take.wav.labels.txt`) and whose first line says of which recording it is. When a file is completed, WAV also
    /// gets it as a cue point, and FLAC, Ogg and MP3 as a chapter instead of the sidecar, for which the file is copied.
    ///
    /// - Parameter label: The marker's text; nil for its number.
    public func mark(_ label: String? = nil) async {
        await enter()
        defer { gate.leave() }
        session?.mark(label)
    }

    /// Completes the recording's files and continues in new ones, from the frame being captured now; in a pause, from
    /// the next frame. No frame is lost or duplicated, and all outputs are cut at the same instant. Does nothing
    /// without a recording, or to an output that is a file descriptor.
    ///
    /// The file after `take.wav` is `take-002.wav`, or the next number that is free. Each new file is sent as an event.
    /// If it cannot be created, the current file continues, with a warning.
    public func startNewFiles() async {
        await enter()
        defer { gate.leave() }
        session?.startNewFiles()
    }
}

extension ACCAudioRecorder {
    /// Records as long as a closure runs, and finishes the recording when it returns or throws: nothing that was
    /// recorded is lost, unless the closure discards it.
    ///
    /// Cancelling the task does not end the recording by itself. It ends the streams that the closure reads in that
    /// task, so a closure that reads one returns, and the recording is finished as usual.
    ///
    /// - Parameters:
    ///   - outputs: The outputs, as in `startRecording(to:)`; none for a recording that goes only to its subscribers.
    ///   - body: Runs in the caller's task, with the first subscription, which misses nothing. It may call any method of
    ///     the recorder. If it ends this recording and starts another one, that one goes on.
    /// - Returns: What the closure returns, and the report, also of a recording that has ended by itself.
    /// - Throws: What `startRecording(to:)` throws, as ``WithRecordingError/start(_:)``, or what the closure throws, after the
    ///   recording was finished, as ``WithRecordingError/body(_:report:)``.
    @discardableResult
    nonisolated(nonsending) public func withRecording<Value, Failure: Error>(
        to outputs: [RecordingOutput] = [], _ body: (RecordingStreams) async throws(Failure) -> Value
    ) async throws(WithRecordingError<Failure>) -> (value: Value, report: RecordingReport) {
        let started: Started
        do throws(ACCAudioRecorderError) {
            started = try await start(to: outputs)
        } catch {
            throw .start(error)
        }
        do throws(Failure) {
            let value = try await body(started.streams)
            return (value, await finish(started.session))
        } catch {
            throw .body(error, report: await finish(started.session))
        }
    }

    /// Finishes a recording unless it has ended, and returns its report.
    private func finish(_ session: RecordingSession) async -> RecordingReport {
        await handle(.finish, of: session)
        return await session.report.value
    }
}

/// Why ``ACCAudioRecorder/ACCAudioRecorder/withRecording(to:_:)`` has failed.
public enum WithRecordingError<Failure: Error>: Error {
    /// The recording could not be started; the closure was not called.
    case start(ACCAudioRecorderError)
    /// The closure has thrown this error. The recording was finished, with this report.
    case body(Failure, report: RecordingReport)
}

extension WithRecordingError: CustomStringConvertible {
    /// The description of the error that was thrown.
    public var description: String {
        switch self {
        case .start(let error): "\(error)"
        case .body(let error, report: _): "\(error)"
        }
    }
}
