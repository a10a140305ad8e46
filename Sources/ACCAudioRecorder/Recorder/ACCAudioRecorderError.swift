import FoundationEssentials

/// Everything that can go wrong with a recording, sorted by what its caller can do.
public enum ACCAudioRecorderError: Error, Sendable, Hashable {
    /// A recording is under way, perhaps paused: finish or discard it first.
    case recordingAlreadyInProgress
    /// There is no recording to resume.
    case noActiveRecording
    /// The requested rate, channels, buffer size or encoding cannot be had.
    case audioFormatCreationFailed(Failure)
    /// The sound server or the source could not be opened.
    case audioEngineStartFailed(Failure)
    /// A file or a pipe could not be created or written.
    case outputFailed(Failure)
    /// The capture broke off; what had been recorded until then is kept.
    case captureFailed(Failure)
    /// A file could not be looked at or mended.
    case repairFailed(Failure)
    /// The recording ended before the source had delivered a frame, so no file was left.
    case nothingRecorded(Failure)

    /// What failed, what the library or the system said, and what to do now.
    public struct Failure: Sendable, Hashable {
        /// The kind of cause, for programs.
        public let reason: Reason
        /// What was being done.
        public let what: String
        /// What the library or the system said of it, in its own words.
        public let cause: String
        /// What a person can do now; a sentence.
        public let remedy: String

        init(_ reason: Reason, _ what: String, cause: String, remedy: String) {
            self.reason = reason
            self.what = what
            self.cause = cause
            self.remedy = remedy
        }

        /// The failure of a call to libpulse.
        init(_ what: String, _ failure: PulseFailure) {
            self.init(failure.reason, what, cause: failure.message, remedy: failure.remedy)
        }
    }
}

extension ACCAudioRecorderError.Failure {
    /// The kinds of cause.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No sound server answers, or its connection broke.
        case noServer
        /// The server has no source of that name.
        case noSuchSource
        /// What was named fits several sources.
        case ambiguousSource
        /// No source was named, and there is none that may be taken unasked.
        case noMicrophone
        /// The server refused access.
        case permissionDenied
        /// The server did not answer in time.
        case timedOut
        /// The device has gone, and did not come back in time.
        case deviceLost
        /// Somebody ended the stream at the server.
        case streamKilled
        /// Any other error of the server.
        case server
        /// The format is outside what the recorder, the server or the container can do.
        case invalidFormat
        /// The output exists already, and replacing it was not asked for.
        case fileExists
        /// The output cannot be created.
        case cannotCreate
        /// The disk of the output is full, or the user's share of it.
        case diskFull
        /// The output cannot be written any further.
        case cannotWrite
        /// The reader at the other end of the pipe went away.
        case readerGone
        /// The reader at the other end of the pipe took too little for too long.
        case readerTooSlow
        /// A file cannot be read.
        case cannotRead
        /// A file is of no known format, or damaged beyond what can be mended.
        case damaged
        /// No frame arrived.
        case noFrames
        /// The system refused a resource, such as a thread.
        case system
    }
}

extension ACCAudioRecorderError {
    /// The error of a recording that waited in vain for what this error is about.
    var asBrokenOff: ACCAudioRecorderError {
        guard let failure else { return self }
        return .captureFailed(
            .init(failure.reason, "the recording broke off", cause: failure.cause, remedy: failure.remedy))
    }
}

extension ACCAudioRecorderError: CustomStringConvertible {
    /// The failure that the case carries, if it carries one.
    public var failure: Failure? {
        switch self {
        case .recordingAlreadyInProgress, .noActiveRecording:
            nil
        case .audioFormatCreationFailed(let failure), .audioEngineStartFailed(let failure),
            .outputFailed(let failure), .captureFailed(let failure), .repairFailed(let failure),
            .nothingRecorded(let failure):
            failure
        }
    }

    /// One line for people: what failed, why, and what to do.
    public var description: String {
        switch self {
        case .recordingAlreadyInProgress:
            "a recording is already in progress. Finish or discard it before starting another."
        case .noActiveRecording:
            "there is no recording to resume. Start one."
        case .audioFormatCreationFailed(let failure), .audioEngineStartFailed(let failure),
            .outputFailed(let failure), .captureFailed(let failure), .repairFailed(let failure),
            .nothingRecorded(let failure):
            failure.description
        }
    }
}

extension ACCAudioRecorderError: LocalizedError {
    /// The same line as `description`, which Foundation's `localizedDescription` shows.
    public var errorDescription: String? { description }
}

extension ACCAudioRecorderError.Failure: CustomStringConvertible {
    /// One line for people: `cannot do this: cause. Remedy.`
    public var description: String { "\(what): \(cause). \(remedy)" }
}
