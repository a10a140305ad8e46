/// What a recorder does next, decided without doing anything: an event comes in, an action goes out.
struct RecordingStateMachine {
    /// Where the recorder stands.
    enum Phase: Sendable, Hashable, CaseIterable {
        case idle, recording, paused
        /// Interrupted: it goes on when it can.
        case interrupted
    }

    /// What happened.
    enum Event: Sendable, Hashable {
        /// The user's calls.
        case start, pause, resume, finish, discard
        /// The source could not be opened for a start, or for a resume.
        case startFailed, resumeFailed
        /// The recording was interrupted by something that may pass.
        case interrupted
        /// The source delivers nothing at present, and is kept open.
        case suspended
        /// It delivers again.
        case flowing
        /// What interrupted it has passed.
        case recovered
        /// The source could not be opened again after all.
        case recoveryFailed
        /// The time limit is reached.
        case limitReached
        /// Capture, conversion or all outputs failed.
        case brokeOff(ACCAudioRecorderError)
    }

    /// What to do about it.
    enum Action: Sendable, Hashable {
        case nothing
        /// Throw this at the caller.
        case refuse(ACCAudioRecorderError)
        /// Open source and outputs.
        case open
        /// Close the source; keep the outputs open.
        case closeSource
        /// Open the source again.
        case reopenSource
        /// Complete or remove the outputs, and report.
        case end(RecordingReport.Ending)
    }

    private(set) var phase = Phase.idle

    /// Takes an event, and says what is to be done.
    mutating func handle(_ event: Event) -> Action {
        switch (phase, event) {
        case (.idle, .start):
            phase = .recording
            return .open
        case (_, .start):
            return .refuse(.recordingAlreadyInProgress)
        case (.idle, .resume):
            return .refuse(.noActiveRecording)
        case (.idle, _):
            return .nothing

        case (_, .startFailed):
            phase = .idle
            return .nothing
        case (_, .resumeFailed):
            phase = .paused
            return .nothing

        case (.recording, .pause):
            phase = .paused
            return .closeSource
        case (.paused, .resume):
            phase = .recording
            return .reopenSource
        case (.paused, .pause), (.recording, .resume), (.interrupted, .resume):
            return .nothing

        case (.recording, .interrupted):
            phase = .interrupted
            return .closeSource
        case (.interrupted, .recovered):
            phase = .recording
            return .reopenSource
        case (.recording, .suspended):
            phase = .interrupted
            return .nothing
        case (.interrupted, .flowing):
            phase = .recording
            return .nothing
        case (.interrupted, .pause):
            // The user's pause goes before: what interrupted the recording may pass, and it stays paused.
            phase = .paused
            return .closeSource
        case (.recording, .recoveryFailed):
            phase = .interrupted
            return .nothing
        case (_, .interrupted), (_, .suspended), (_, .flowing), (_, .recovered), (_, .recoveryFailed):
            return .nothing

        case (_, .finish): return end(.finished)
        case (_, .discard): return end(.discarded)
        case (_, .limitReached): return end(.limitReached)
        case (_, .brokeOff(let error)): return end(.failed(error))
        }
    }

    private mutating func end(_ ending: RecordingReport.Ending) -> Action {
        phase = .idle
        return .end(ending)
    }
}
