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
    ///   - isCurrent: Whether the event is still relevant; called when its turn has come.
    /// - Returns: The report of a recording that the event ended.
    @discardableResult
    func handle(
        _ event: RecordingStateMachine.Event, of expected: RecordingSession? = nil, if isCurrent: () -> Bool = { true }
    ) async -> RecordingReport? {
        await enter()
        defer { gate.leave() }
        // What belongs to a recording does not concern a source that is prepared for the next one.
        if expected == nil, [.finish, .discard, .discardCurrentFiles].contains(event) {
            rearming?.cancel()
            rearming = nil
            await prepared?.release()
            prepared = nil
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
            let report = await session.end(ending, removesFiles: removesFiles)
            self.session = nil
            return report
        }
    }

    /// Reopens the source of a recording, as the state machine has decided.
    ///
    /// - Parameter find: Finds the source.
    func open(
        _ session: RecordingSession, after interruption: RecordingInterruption? = nil,
        _ find: () async throws(ACCAudioRecorderError) -> PreparedSource
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
        ended.broadcast.events.send(.limitReached)
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
        guard ticking.broadcast.hasStateSubscribers else {
            ticker = nil
            return false
        }
        if case .recording = machine.phase { ticking.broadcast.send(state: state) }
        return true
    }
}
