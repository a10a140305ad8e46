/// Errors of recordings that cannot continue with their source.
extension ACCAudioRecorderError {
    /// Somebody ended the stream at the server.
    static func streamKilled(of source: AudioSource) -> Self {
        .captureFailed(.init(brokeOff(source), CaptureFailure(.streamKilled, "Entity killed")))
    }

    /// The device did not come back in time, or the policy ends the recording when it is gone.
    static func deviceLost(_ source: AudioSource, _ behavior: InterruptionPolicy.DisconnectBehavior) -> Self {
        let waits = behavior == .pause || behavior == .fallback
        return .captureFailed(
            .init(
                .deviceLost, brokeOff(source), cause: "it was unplugged" + (waits ? " and did not return in time" : ""),
                remedy: "Plug it in again, or record from another source. \(fate(of: behavior))"))
    }

    /// A call began, and the policy ends the recording then.
    static func endedByCall(_ source: AudioSource) -> Self {
        .captureFailed(
            .init(
                .call, brokeOff(source), cause: "a call in another program began",
                remedy: "Record again after the call, or let calls pause the recording."))
    }

    /// The source delivered nothing for too long, for the given reason.
    static func quietForTooLong(_ source: AudioSource, _ interruption: RecordingInterruption) -> Self {
        .captureFailed(
            .init(
                .timedOut, brokeOff(source), cause: "\(interruption)",
                remedy: "Check that nothing suspends the source and that its device works. What was recorded is kept."))
    }

    /// The application plays no longer: it did not go on in time, or the policy ends the recording then.
    static func applicationStopped(
        _ source: AudioSource, _ interruption: RecordingInterruption, _ behavior: InterruptionPolicy.DisconnectBehavior
    ) -> Self {
        .captureFailed(
            .init(
                .deviceLost, brokeOff(source), cause: "\(interruption)",
                remedy: "Let the recording wait until it plays again. \(fate(of: behavior))"))
    }

    /// What becomes of what was recorded.
    private static func fate(of behavior: InterruptionPolicy.DisconnectBehavior) -> String {
        behavior == .discard ? "What was recorded is removed, as you asked." : "What was recorded is kept."
    }

    /// The application has played nothing, although the recording has waited for it.
    static func applicationNeverPlayed(_ source: AudioSource) -> Self {
        .nothingRecorded(
            .init(
                .noSuchSource, "nothing was recorded", cause: "'\(source.description)' has played nothing",
                remedy: "Check its name among the applications that play, or wait longer.",
                recoveryOption: .nameApplication))
    }

    /// The recording ended without a single frame.
    static func noFrames(of source: AudioSource) -> Self {
        if source.kind == .application { return applicationNeverPlayed(source) }
        return .nothingRecorded(
            .init(
                .noFrames, "nothing was recorded", cause: "'\(source.name)' delivered no frame",
                remedy: "Check that the source is not suspended and that its device works. No file was kept."))
    }

    /// The task that started a recording was cancelled before it began.
    static let startCancelled = Self.audioEngineStartFailed(.init("the recording was not started", .cancelled))

    /// The recording was abandoned before it began.
    static func abandoned(_ source: AudioSource) -> Self {
        .nothingRecorded(
            .init(
                .noFrames, "nothing was recorded from '\(source.name)'", cause: "it was ended before it began",
                remedy: "No file was kept."))
    }

    private static func brokeOff(_ source: AudioSource) -> String {
        "recording from '\(source.name)' ended early"
    }
}
