/// The state of a recorder and its transitions, without side effects: takes an event and returns an action.
struct RecordingStateMachine {
    /// A time of the recorder's clock.
    typealias Instant = RecorderClock.Instant

    /// What the recorder is doing.
    enum Phase: Sendable, Hashable {
        case idle
        /// The source is being opened: for a start, after a pause, or after an interruption.
        case opening(Opening)
        /// The source is open. `quietSince` is the time since which it has delivered nothing, across reopenings; nil
        /// once it delivers.
        case recording(quietSince: Instant?)
        /// The source is open but has been suspended since this time, or its application plays nothing: the recording
        /// continues when it delivers again.
        case suspended(RecordingInterruption = .suspended, since: Instant)
        /// The source is closed until the user resumes.
        case paused
        /// The source is closed until the recording can continue.
        case interrupted(Interruption)
    }

    /// The reason for opening a source.
    enum Opening: Sendable, Hashable {
        case start
        case resume
        case recovery(Interruption)
    }

    /// The reason why the source of a continuing recording was closed.
    struct Interruption: Sendable, Hashable {
        let cause: RecordingInterruption
        let since: Instant
        /// Since when the source has delivered nothing, across reopenings; nil if it delivered until the interruption.
        var quietSince: Instant?
    }

    /// What happened.
    enum Event: Sendable, Hashable {
        /// The user's commands.
        case start, pause, resume, finish, discard, discardCurrentFiles
        /// Something temporary separates the recording from its source.
        case interrupted(RecordingInterruption, at: Instant)
        /// The recording can continue after an interruption.
        case recovered
        /// The source has delivered nothing since this time, and stays open.
        case suspended(RecordingInterruption = .suspended, at: Instant)
        /// The source delivers.
        case flowing
        /// The time limit is reached.
        case limitReached
        /// The limit's handler has returned.
        case limitReported
        /// The source was silent for as long as the sound activation says.
        case fellSilent
        /// Capture, conversion or all outputs failed.
        case brokeOff(ACCAudioRecorderError)
        /// A recording that has waited for its source since this time gives up.
        case waitEnded(ACCAudioRecorderError, since: Instant, removesFiles: Bool)
    }

    /// What to do about an event.
    enum Action: Sendable, Hashable {
        case nothing
        /// Throw this error to the caller.
        case refuse(ACCAudioRecorderError)
        /// Open the source, and the outputs if they are not open yet.
        case open(Opening)
        /// Close the source because of this interruption, or for the user's pause (nil); keep the outputs open.
        case closeSource(Interruption?)
        /// Report that the source, which stays open, was suspended, for this reason, or delivers again (nil).
        case report(RecordingInterruption?)
        /// Report that the limit is reached.
        case reportLimit
        /// Complete or remove the outputs, and send the report.
        case end(RecordingReport.Ending, removesFiles: Bool)
    }

    private(set) var phase = Phase.idle
    private var isLimitReported = false

    /// Whether there is a recording that waits for its source.
    var isWaiting: Bool {
        switch phase {
        case .paused, .suspended, .interrupted, .opening(.resume), .opening(.recovery): true
        case .idle, .recording, .opening(.start): false
        }
    }

    /// Changes the phase for an event and returns the action to perform.
    mutating func handle(_ event: Event) -> Action {
        switch (phase, event) {
        case (.idle, .start):
            isLimitReported = false
            return open(.start)
        case (_, .start):
            return .refuse(.recordingAlreadyInProgress)
        case (.idle, .resume):
            return .refuse(.noActiveRecording)
        case (.idle, _):
            return .nothing

        case (.recording, .pause), (.suspended, .pause), (.interrupted, .pause):
            // The recording stays paused even if the cause of the interruption passes.
            phase = .paused
            return .closeSource(nil)
        case (.paused, .resume):
            return open(.resume)
        case (.interrupted(let interruption), .recovered):
            return open(.recovery(interruption))

        case (.recording(let quietSince), .interrupted(let cause, let time)):
            return interrupt(cause, at: time, quietSince: quietSince)
        case (.suspended(_, let quietSince), .interrupted(let cause, let time)):
            return interrupt(cause, at: time, quietSince: quietSince)

        case (.recording, .suspended(let cause, let time)):
            phase = .suspended(cause, since: time)
            return .report(cause)
        case (.suspended(_, let since), .suspended(let cause, _)):
            guard phase != .suspended(cause, since: since) else { return .nothing }
            phase = .suspended(cause, since: since)
            return .report(cause)
        case (.suspended, .flowing):
            phase = .recording(quietSince: nil)
            return .report(nil)
        case (.recording, .flowing):
            phase = .recording(quietSince: nil)

        case (_, .limitReached):
            guard !isLimitReported else { return .nothing }
            isLimitReported = true
            return .reportLimit
        case (_, .limitReported): return end(.limit)
        case (_, .fellSilent): return end(.silence)
        case (_, .finish): return end(.finished)
        case (_, .discard): return end(.discarded, removesFiles: true)
        case (_, .discardCurrentFiles): return end(.discarded)
        case (_, .brokeOff(let error)): return end(.failed(error))
        case (.suspended(_, since: let start), .waitEnded(let error, let since, let removesFiles)) where start == since:
            return end(.failed(error), removesFiles: removesFiles)
        case (.interrupted(let interruption), .waitEnded(let error, let since, let removesFiles))
        where interruption.since == since:
            return end(.failed(error), removesFiles: removesFiles)

        case (_, .pause), (_, .resume), (_, .interrupted), (_, .recovered), (_, .suspended), (_, .flowing),
            (_, .waitEnded):
            break
        }
        return .nothing
    }

    /// Records whether the source that `open` asked for could be opened.
    mutating func opened(_ isOpen: Bool) {
        guard case .opening(let opening) = phase else { return }
        phase =
            switch (opening, isOpen) {
            case (.start, true), (.resume, true): .recording(quietSince: nil)
            case (.recovery(let interruption), true): .recording(quietSince: interruption.quietSince)
            case (.start, false): .idle
            case (.resume, false): .paused
            case (.recovery(let interruption), false): .interrupted(interruption)
            }
    }

    private mutating func open(_ opening: Opening) -> Action {
        phase = .opening(opening)
        return .open(opening)
    }

    private mutating func interrupt(
        _ cause: RecordingInterruption, at time: Instant, quietSince: Instant?
    ) -> Action {
        let interruption = Interruption(
            cause: cause, since: time, quietSince: quietSince ?? (cause == .stalled ? time : nil))
        phase = .interrupted(interruption)
        return .closeSource(interruption)
    }

    private mutating func end(_ ending: RecordingReport.Ending, removesFiles: Bool = false) -> Action {
        phase = .idle
        return .end(ending, removesFiles: removesFiles)
    }
}
