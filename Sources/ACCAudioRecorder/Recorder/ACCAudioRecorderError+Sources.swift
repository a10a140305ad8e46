import CPulse

/// The errors of recordings that cannot go on with their source.
extension ACCAudioRecorderError {
    /// Somebody ended the stream at the server.
    static func streamKilled(of source: AudioSource) -> Self {
        .captureFailed(.init(brokeOff(source), PulseFailure(PA_ERR_KILLED)))
    }

    /// The device did not come back in time, or the recording was to end with it.
    static func deviceLost(_ source: AudioSource) -> Self {
        .captureFailed(
            .init(
                .deviceLost, brokeOff(source), cause: "its device has gone, and did not come back in time",
                remedy: "Plug it in again, or record from another source; what was recorded is kept."))
    }

    /// The source delivered nothing for too long, for this reason.
    static func quietForTooLong(_ source: AudioSource, _ interruption: RecordingInterruption) -> Self {
        .captureFailed(
            .init(
                .timedOut, brokeOff(source), cause: "\(interruption)",
                remedy: "See that nothing suspends the source and that its device works; what was recorded is kept."))
    }

    /// The recording ended before there was anything in it.
    static func noFrames(of source: AudioSource) -> Self {
        .nothingRecorded(
            .init(
                .noFrames, "nothing was recorded", cause: "'\(source.name)' delivered no frame",
                remedy: "See that the source is not suspended and that its device works; no file was left."))
    }

    private static func brokeOff(_ source: AudioSource) -> String {
        "the recording from '\(source.name)' broke off"
    }
}
