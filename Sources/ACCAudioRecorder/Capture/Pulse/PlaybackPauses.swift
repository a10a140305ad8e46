/// Whether a stream that an application plays delivers, by what the server announces of it and by what arrives.
///
/// The server announces pauses when they have begun, and ends of pauses when they are over, at times that do not fit what arrives:
/// what was played before a pause arrives up to 150 ms after its announcement, and frames of after it may arrive before its end is
/// announced.
struct PlaybackPauses {
    enum State {
        /// Nothing has been captured since the record stream was opened, or since a pause.
        case waiting
        case delivering
        /// The program has paused it, its sink is suspended, or its record stream is lost.
        case quiet
    }

    /// What an announcement of the server has changed.
    enum Change {
        case paused
        case resumed
    }

    private(set) var state = State.waiting
    /// Whether the program has paused it, as announced.
    private var isPaused: Bool
    /// When the server announced its latest pause, in CLOCK_MONOTONIC nanoseconds.
    private(set) var pauseTime: UInt64 = 0
    /// Whether what it played before its pause may still arrive, or PipeWire has not begun to play it.
    private var isUnsettled = false
    /// Whether frames have arrived that were played after its pause, whose end the server has not announced yet.
    private var hasResumedUnannounced = false
    /// Why it is quiet.
    private var cause = SuspensionCause.applicationPaused
    /// Why nothing is delivered, as reported; nil while something is.
    private(set) var quietCause: SuspensionCause?
    /// Whether it has delivered since `quietCause` was last set.
    private var isDelivering = false
    /// Whether something of its record stream was captured.
    private var hasCaptured = false
    /// Whether the record stream had ended before it was opened again.
    private var wasLost = false

    init(isPaused: Bool) { self.isPaused = isPaused }

    /// Whether the next frames may have been played before the pause that was reported.
    var mayBeEarlier: Bool { quietCause != nil && hasCaptured }

    /// Whether silence is that of a pause.
    var isSilenceOfPause: Bool { (isPaused || state == .quiet) && !hasResumedUnannounced }
}

// MARK: - What happens

extension PlaybackPauses {
    /// Begins with a new record stream.
    mutating func attach() {
        state = .waiting
        (hasCaptured, hasResumedUnannounced) = (false, false)
    }

    /// Loses the record stream.
    mutating func detach() {
        wasLost = true
        silence(.applicationMoved)
    }

    /// Follows an announcement of whether the program has paused it.
    mutating func announce(isPaused: Bool) -> Change? {
        let wasPaused = self.isPaused
        self.isPaused = isPaused
        guard isPaused else { return wasPaused ? .resumed : nil }
        let isNew = state == .waiting || hasResumedUnannounced || !wasPaused
        if state == .waiting { silence(.applicationPaused) }
        return isNew ? .paused : nil
    }

    mutating func announce(isSuspended: Bool) {
        if isSuspended {
            silence(.suspended)
        } else if state == .quiet, !isPaused {
            state = .waiting
        }
    }

    /// Begins a pause, before which something may still arrive.
    mutating func beginPause(at time: UInt64) {
        isUnsettled = true
        (pauseTime, hasResumedUnannounced) = (time, false)
    }

    /// Ends the delivery if the pause that began then still lasts.
    ///
    /// - Returns: Whether it does.
    mutating func settle(since pauseTime: UInt64) -> Bool {
        guard self.pauseTime == pauseTime, isPaused, !hasResumedUnannounced else { return false }
        isUnsettled = false
        silence(.applicationPaused)
        return true
    }

    /// Passes the end of a pause among the frames that arrive, which may not be announced yet.
    mutating func passPause() {
        (hasResumedUnannounced, isUnsettled) = (isPaused, false)
    }

    /// Follows the announcement that a pause is over.
    ///
    /// - Returns: Whether its frames have not arrived yet.
    mutating func endPause() -> Bool {
        defer { hasResumedUnannounced = false }
        return !hasResumedUnannounced
    }

    /// Ends the delivery for a pause, after which frames follow.
    ///
    /// - Returns: What to report.
    mutating func interrupt() -> SuspensionCause? {
        isUnsettled = false
        silence(.applicationPaused)
        return isDelivering ? quietToReport() : nil
    }

    /// Waits for what is played after a pause.
    mutating func wait() { state = .waiting }

    /// Delivers frames.
    ///
    /// - Returns: Whether it was reported to be quiet.
    mutating func deliver() -> Bool {
        defer { (quietCause, isDelivering) = (nil, true) }
        (state, wasLost, hasCaptured) = (.delivering, false, true)
        return quietCause != nil
    }

    private mutating func silence(_ cause: SuspensionCause) {
        (state, self.cause) = (.quiet, cause)
    }
}

// MARK: - What to report

extension PlaybackPauses {
    /// Why nothing is delivered any more; nil if something is, or that was reported.
    mutating func quietToReport() -> SuspensionCause? {
        guard state != .delivering, !isUnsettled else { return nil }
        defer { wasLost = false }
        if state == .quiet { return toReport(cause) }
        return isDelivering ? toReport(wasLost ? .applicationMoved : .applicationAbsent) : nil
    }

    /// The cause, unless it was reported.
    mutating func toReport(_ cause: SuspensionCause) -> SuspensionCause? {
        guard cause != quietCause else { return nil }
        (quietCause, isDelivering) = (cause, false)
        return cause
    }
}
