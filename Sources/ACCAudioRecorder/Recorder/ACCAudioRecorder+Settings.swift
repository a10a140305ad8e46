import FoundationEssentials

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

    /// Sets what later recordings tell their levels by their own thread, which is the cheapest way to follow them: what it
    /// does the recording waits for, so it is to be brief and to wait for nothing itself, neither a disk nor another
    /// program. The capture goes on meanwhile, for as long as its ring holds.
    ///
    /// - Parameters:
    ///   - interval: How far apart the calls are, in seconds; they come with the fragment that makes it so much, and at the
    ///     end of a stretch. With every fragment where it is no number above 0.
    ///   - observe: Called with the levels of the frames since the call before; nil for nobody.
    public func setLevelObserver(
        every interval: TimeInterval, _ observe: (@Sendable (RecordingLevels) -> Void)?
    ) {
        levelObserver = observe.map { LevelObserver(interval: interval > 0 ? interval : 0, observe: $0) }
    }

    /// Sets what is called after a recording has broken off by itself; inside it the recorder is idle.
    public func setOnUnrecoverableInterruption(_ handler: (@Sendable () async -> Void)?) {
        onUnrecoverableInterruption = handler
    }

    /// The recording's length in seconds, counted in frames, pauses excluded; nil where there is none. Where nobody has
    /// streams of the recording, it grows three times a second only.
    public func currentDuration() -> TimeInterval? {
        session?.duration
    }

    /// The recording's length in frames, pauses excluded; nil where there is none.
    public func currentFrameCount() -> Int? {
        session?.engine.frameCount
    }

    /// Whether there is a recording and it is paused.
    public func isPausedState() -> Bool {
        machine.phase == .paused
    }
}
