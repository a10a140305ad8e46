/// What commands and the course of a recording share.
extension ACCAudioRecorder {
    /// How often the state is told while a recording runs.
    private static let stateInterval = Duration.milliseconds(100)

    /// What the subscribers are told.
    var state: RecordingState {
        RecordingState(
            isRecording: machine.phase != .idle,
            isPaused: machine.phase == .paused || machine.phase == .interrupted,
            currentDuration: session?.duration)
    }

    /// Waits for its turn; `gate.leave()` gives the next one its own.
    func enter() async {
        if gate.tryEnter() { return }
        await withCheckedContinuation { gate.queue($0) }
    }

    /// Carries out a command that may end the recording.
    ///
    /// - Parameter removesFiles: Whether the files of a recording that fails go with it.
    func command(
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

    /// Ends a recording that is as long as its limit, after the handler has been told.
    func limitReached(by ended: RecordingSession) async {
        guard session === ended, ended.noteLimitReached() else { return }
        // Outside the gate: the handler may call any of our methods.
        await onTimeLimitReached?()
        guard session === ended else { return }
        _ = await command(.limitReached)
    }

    /// Ends a recording by itself, and tells the handler.
    func breakOff(
        _ error: ACCAudioRecorderError, of ended: RecordingSession, removesFiles: Bool = false
    ) async {
        guard session === ended, await command(.brokeOff(error), removesFiles: removesFiles) != nil else { return }
        await onUnrecoverableInterruption?()
    }

    /// Tells the state in intervals, for as long as somebody listens.
    func startTicker(for session: RecordingSession) {
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
