import FoundationEssentials

extension ACCAudioRecorder {
    /// Ends this recording, and later ones, at exactly `round(maxDuration × rate)` frames, pauses excluded. Takes
    /// effect at once on a running recording.
    ///
    /// - Parameters:
    ///   - maxDuration: The limit in seconds, at least 0; infinity for no limit. A recording of no frame leaves no file.
    ///   - onTimeLimitReached: Called after the last frame, before the streams end.
    /// - Returns: Whether the limit is set. A limit that is negative or NaN is refused: the previous limit and its
    ///   closure stay.
    @discardableResult
    public func setTimeLimit(
        maxDuration: TimeInterval, onTimeLimitReached: (@Sendable () async -> Void)? = nil
    ) -> Bool {
        guard maxDuration >= 0 else { return false }
        timeLimit = maxDuration
        self.onTimeLimitReached = onTimeLimitReached
        session?.setLimit(maxDuration)
        if let session, machine.isWaiting { Task { await endAtLimit(session) } }
        return true
    }

    /// Ends a recording that is paused or interrupted if it has reached its limit, which no engine thread notices then.
    private func endAtLimit(_ limited: RecordingSession) async {
        // In turn, because a pause first closes its segment, which the engine is still recording.
        await enter()
        let isReached = session === limited && limited.currentSegment == nil && limited.engine.isAtLimit
        gate.leave()
        if isReached { await limitReached(by: limited) }
    }

    /// As ``setTimeLimit(maxDuration:onTimeLimitReached:)``, with a `Duration`.
    @discardableResult
    public func setTimeLimit(_ limit: Duration, onTimeLimitReached: (@Sendable () async -> Void)? = nil) -> Bool {
        setTimeLimit(maxDuration: limit.seconds, onTimeLimitReached: onTimeLimitReached)
    }

    /// Removes the limit of this recording and of later ones.
    public func clearTimeLimit() {
        timeLimit = nil
        onTimeLimitReached = nil
        session?.setLimit(nil)
    }

    /// Sets a closure that the engine thread of later recordings calls with their levels. This is the cheapest way to
    /// follow the levels. The recording waits for the closure, so it must return quickly and not wait for a disk or
    /// another program. Capture continues meanwhile, until its ring buffer is full.
    ///
    /// - Parameters:
    ///   - interval: The length of audio between calls, exact to the frame; shorter at the end of a segment. With zero or less, a call
    ///     comes with every fragment. One that is shorter than a fragment gives several calls at once.
    ///   - observe: Called with the levels of the frames since the previous call; nil to observe nothing.
    public func setLevelObserver(every interval: Duration, _ observe: (@Sendable (RecordingLevels) -> Void)?) {
        levelObserver = observe.map { LevelObserver(interval: max(interval, .zero).seconds, observe: $0) }
    }

    /// Sets a closure that is called after a recording has failed. The recorder is idle by then.
    public func setOnUnrecoverableInterruption(_ handler: (@Sendable () async -> Void)?) {
        onUnrecoverableInterruption = handler
    }

    /// The recording's length in seconds, counted in frames, pauses excluded; nil without a recording. Without a
    /// subscriber to a stream other than events, it may advance only every 0.64 s.
    public func currentDuration() -> TimeInterval? {
        session?.duration
    }

    /// The recording's length in frames, pauses excluded; nil without a recording.
    public func currentFrameCount() -> Int? {
        session?.engine.frameCount
    }

    /// What is still to be done with captured audio, for people; nil if that is not known.
    package var unfinishedWork: String? { session?.unfinishedWork }

    /// Whether there is a recording that is paused or waits for its source, as ``RecordingState/isPaused`` says.
    public func isPausedState() -> Bool {
        machine.isWaiting
    }

    /// Whether there is a recording that only `resumeRecording()` continues.
    public var isPausedByUser: Bool { machine.phase == .paused }
}
