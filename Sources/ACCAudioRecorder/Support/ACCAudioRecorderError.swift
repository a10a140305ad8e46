import FoundationEssentials

/// An error of a recording, by what the caller can do about it.
///
/// The recorder with the same name on iOS has four cases without details. Code for it that matches cases compiles here
/// unchanged: `catch ACCAudioRecorderError.audioEngineStartFailed`, `if case .audioFormatCreationFailed = error`. Two
/// things differ, because an error here carries its cause and remedy with it, however far it is passed on:
///
/// - `==` compares the details as well, so a case that has details is matched rather than compared.
/// - There are more cases, for files and failures during a recording, so a `switch` needs a `default`.
///
/// In JSON an error is an object with `kind`, the name of its case, and what its failure has.
@nonexhaustive
public enum ACCAudioRecorderError: Error, Sendable, Hashable {
    /// There is already a recording, perhaps paused: finish or discard it first.
    case recordingAlreadyInProgress
    /// There is no recording to resume.
    case noActiveRecording
    /// A setting of the configuration is out of range, or contradicts another.
    case invalidConfiguration(Failure)
    /// The requested sample rate, channels, buffer size or encoding is not available.
    case audioFormatCreationFailed(Failure)
    /// The sound server or the source could not be opened.
    case audioEngineStartFailed(Failure)
    /// A file or a pipe could not be created or written.
    case outputFailed(Failure)
    /// The capture failed; what was recorded until then is kept.
    case captureFailed(Failure)
    /// A file could not be examined or repaired.
    case repairFailed(Failure)
    /// The recording ended before the source delivered a frame, so there is no file.
    case nothingRecorded(Failure)

    /// What failed, why, and what to do about it.
    ///
    /// In JSON a failure is an object with `reason`, `what`, `cause`, `remedy`, and `choices`, `recovery_option` and `setting`
    /// if there are any.
    public struct Failure: Sendable, Hashable {
        /// The kind of cause, for programs.
        public let reason: Reason
        /// What could not be done.
        public let what: String
        /// The cause, in the words of the library or the system.
        public let cause: String
        /// What a person can do about it, as a sentence. The choices complete it: `Name one of`.
        package let advice: String
        /// What may be named instead, the most likely first; empty where nothing was named wrongly.
        public let choices: [Choice]
        /// The setting or function of this library that helps, so that a program can name its own equivalent; nil if
        /// there is none.
        public let recoveryOption: RecoveryOption?
        /// The property of ``ACCAudioRecorder/ACCAudioRecorder/Configuration`` that is refused, as in
        /// `interruptions.timeout`; nil if none is.
        public let setting: String?

        /// Creates a failure.
        ///
        /// - Parameters:
        ///   - reason: The kind of cause.
        ///   - what: What could not be done: `cannot do this`.
        ///   - cause: The cause, in the words of the library or the system.
        ///   - remedy: What a person can do about it, as a sentence; if there are choices, what they complete: `Name one of`.
        ///   - choices: What may be named instead, the most likely first.
        ///   - recoveryOption: The setting or function that helps.
        ///   - setting: The property of the configuration that is refused.
        public init(
            _ reason: Reason, _ what: String, cause: String, remedy: String, choices: [Choice] = [],
            recoveryOption: RecoveryOption? = nil, setting: String? = nil
        ) {
            self.reason = reason
            self.what = what
            self.cause = cause
            advice = remedy
            self.choices = choices
            self.recoveryOption = recoveryOption
            self.setting = setting
        }

        /// What a person can do about it, as a sentence, with the first eight choices.
        public var remedy: String { advice + completion }

        /// The choices as the end of a sentence; empty if there are none.
        package var completion: String { Self.completion(choices) }

        private static func completion(_ choices: [Choice]) -> String {
            guard !choices.isEmpty else { return "" }
            let rest = choices.count - listedChoices
            let names = choices.prefix(listedChoices).map(\.description).joined(separator: ", ")
            return ": \(names)\(rest > 0 ? ", and \(rest) more" : "")."
        }

        /// The number of choices that a text lists.
        package static let listedChoices = 8
    }
}

extension ACCAudioRecorderError.Failure {
    /// Something that may be named in place of what was: a source, a sink or an application.
    public struct Choice: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The name by which it is chosen.
        public let name: String
        /// What it is, for people.
        public let details: String

        /// - Parameters:
        ///   - name: The name by which it is chosen.
        ///   - details: What it is, for people.
        public init(name: String, details: String) {
            (self.name, self.details) = (name, details)
        }

        /// Its name, and what it is in parentheses.
        public var description: String { "\(name) (\(details))" }
    }
}

extension ACCAudioRecorderError.Failure {
    /// The kinds of cause.
    @nonexhaustive
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// No sound server answers, or the connection broke.
        case noServer
        /// The server has no source with that name.
        case noSuchSource
        /// The name matches several sources.
        case ambiguousSource
        /// No source was named, and there is none that may be chosen automatically.
        case noMicrophone
        /// The server refused access.
        case permissionDenied
        /// The server did not answer in time.
        case timedOut
        /// The device is gone and did not come back in time.
        case deviceLost
        /// Somebody ended the stream at the server.
        case streamKilled
        /// A call of another program began, and ends the recording by its policy.
        case call
        /// Another error of the server.
        case server
        /// A setting of the configuration is out of range, or contradicts another.
        case invalidSetting
        /// The format is not supported by the recorder, the server or the container.
        case invalidFormat
        /// The output file exists, and replacing it was not requested.
        case fileExists
        /// The output cannot be created.
        case cannotCreate
        /// The disk of the output, or the user's quota, is full.
        case diskFull
        /// The output can no longer be written.
        case cannotWrite
        /// The reader at the other end of the pipe is gone.
        case readerGone
        /// The reader at the other end of the pipe was too slow for too long.
        case readerTooSlow
        /// A file cannot be read.
        case cannotRead
        /// The file has an unknown format, or is damaged beyond repair.
        case damaged
        /// No frame arrived.
        case noFrames
        /// The system could not provide a resource, such as a thread.
        case system
        /// The task that waited was cancelled.
        case cancelled
    }
}

extension ACCAudioRecorderError.Failure {
    /// What a program, or its user, can do so that the next attempt succeeds.
    @nonexhaustive
    public enum RecoveryOption: Sendable, Hashable, Codable {
        /// Replace the existing file: ``RecordingOutput/replacesExisting``.
        case replaceFile
        /// Create the missing directory: ``RecordingOutput/makesDirectories``.
        case createDirectory
        /// Allow more audio to wait for a slow reader: ``RecordingOutput/longestDelay`` and
        /// ``RecordingOutput/overflowPolicy``.
        case allowDelay
        /// Choose another container that is available on this machine: ``Container/isAvailable``.
        case chooseContainer
        /// State the positions of the recorded channels:
        /// ``ACCAudioRecorder/ACCAudioRecorder/Configuration/Channels/map``.
        case nameChannels
        /// Repair the file left at this path: ``AudioFileRepair``.
        case repairFile(path: String)
        /// Repair the file in place: ``AudioFileRepair/repairInPlace()``.
        case repairInPlace
        /// Allow sources of these kinds, with ``ACCAudioRecorder/ACCAudioRecorder/Configuration/Capture/allowsBluetooth`` and
        /// ``ACCAudioRecorder/ACCAudioRecorder/Configuration/Capture/allowsMonitor``, or name one of the available sources.
        case allowSources(bluetooth: Bool, monitor: Bool)
        /// Name a source of the server: ``ACCAudioRecorder/ACCAudioRecorder/sourceList(for:)``.
        case nameSource
        /// Name these sources as an input each: ``ACCAudioRecorder/ACCAudioRecorder/Configuration/inputs``.
        case nameInputs([String])
        /// Name an application that plays: ``ACCAudioRecorder/ACCAudioRecorder/applicationList(for:)``; or wait longer for
        /// it: ``InterruptionPolicy/timeout``.
        case nameApplication

        private enum CodingKeys: String, CodingKey {
            case replaceFile = "replace_file"
            case createDirectory = "create_directory"
            case allowDelay = "allow_delay"
            case chooseContainer = "choose_container"
            case nameChannels = "name_channels"
            case repairFile = "repair_file"
            case repairInPlace = "repair_in_place"
            case allowSources = "allow_sources"
            case nameSource = "name_source"
            case nameInputs = "name_inputs"
            case nameApplication = "name_application"
        }
    }
}

extension ACCAudioRecorderError {
    /// This error as the reason why a recording failed, after waiting for its cause to pass.
    var asCaptureFailure: ACCAudioRecorderError {
        guard let failure else { return self }
        return .captureFailed(
            .init(
                failure.reason, "recording ended early", cause: failure.cause, remedy: failure.advice,
                choices: failure.choices, recoveryOption: failure.recoveryOption, setting: failure.setting))
    }

    /// The refusal of a setting of the configuration.
    ///
    /// - Parameters:
    ///   - setting: Its property, as in `interruptions.timeout`.
    ///   - what: What cannot be done with it.
    static func refused(
        _ setting: String, _ what: String, cause: String = "it is out of range", remedy: String
    ) -> ACCAudioRecorderError {
        .invalidConfiguration(.init(.invalidSetting, what, cause: cause, remedy: remedy, setting: setting))
    }
}

extension ACCAudioRecorderError: CustomStringConvertible {
    /// The failure of this error; nil if its case has none.
    public var failure: Failure? {
        switch self {
        case .recordingAlreadyInProgress, .noActiveRecording:
            nil
        case .invalidConfiguration(let failure), .audioFormatCreationFailed(let failure),
            .audioEngineStartFailed(let failure), .outputFailed(let failure), .captureFailed(let failure),
            .repairFailed(let failure),
            .nothingRecorded(let failure):
            failure
        }
    }

    /// One line, human-readable: what failed, why, and what to do about it.
    public var description: String {
        switch self {
        case .recordingAlreadyInProgress:
            "a recording is already in progress. Finish or discard it first."
        case .noActiveRecording:
            "there is no recording to resume. Start one."
        case .invalidConfiguration(let failure), .audioFormatCreationFailed(let failure),
            .audioEngineStartFailed(let failure), .outputFailed(let failure), .captureFailed(let failure),
            .repairFailed(let failure),
            .nothingRecorded(let failure):
            failure.description
        }
    }
}

extension ACCAudioRecorderError: LocalizedError {
    /// Same as `description`; shown by Foundation's `localizedDescription`.
    public var errorDescription: String? { description }
}

extension ACCAudioRecorderError.Failure: CustomStringConvertible {
    /// One line, human-readable: `cannot do this: cause. Remedy.`
    public var description: String { "\(what): \(cause). \(remedy)" }
}

extension ACCAudioRecorderError: Codable {
    private enum Key: String, CodingKey {
        case kind
    }

    /// The errors with the names of their cases.
    private static func named(_ failure: Failure) -> [(name: String, error: Self)] {
        [
            ("invalid_configuration", .invalidConfiguration(failure)),
            ("audio_format_creation_failed", .audioFormatCreationFailed(failure)),
            ("audio_engine_start_failed", .audioEngineStartFailed(failure)),
            ("output_failed", .outputFailed(failure)), ("capture_failed", .captureFailed(failure)),
            ("repair_failed", .repairFailed(failure)), ("nothing_recorded", .nothingRecorded(failure)),
        ]
    }

    private static let named: [(name: String, error: Self)] = [
        ("recording_already_in_progress", .recordingAlreadyInProgress), ("no_active_recording", .noActiveRecording),
    ]

    /// Encodes the case and the failure.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let all = failure.map(Self.named) ?? Self.named
        try container.encode(all.first { $0.error == self }?.name, forKey: .kind)
        try failure?.encode(to: encoder)
    }

    /// Decodes the case and the failure.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let name = try container.decode(String.self, forKey: .kind)
        let plain = Self.named.first { $0.name == name }?.error
        self = try plain ?? container.decode(forKey: .kind, from: Self.named(Failure(from: decoder))) { $0.name }.error
    }
}

extension ACCAudioRecorderError.Failure: Codable {
    private enum Key: String, CodingKey {
        case reason, what, cause, remedy, choices, setting
        case recoveryOption = "recovery_option"
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(nameOf: reason, forKey: .reason)
        try container.encode(what, forKey: .what)
        try container.encode(cause, forKey: .cause)
        try container.encode(remedy, forKey: .remedy)
        if !choices.isEmpty { try container.encode(choices, forKey: .choices) }
        try container.encodeIfPresent(recoveryOption, forKey: .recoveryOption)
        try container.encodeIfPresent(setting, forKey: .setting)
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let choices = try container.decodeIfPresent([Choice].self, forKey: .choices) ?? []
        let remedy = try container.decode(String.self, forKey: .remedy)
        let completion = Self.completion(choices)
        self.init(
            try container.decode(nameOf: Reason.self, forKey: .reason),
            try container.decode(String.self, forKey: .what),
            cause: try container.decode(String.self, forKey: .cause),
            remedy: String(remedy.dropLast(remedy.hasSuffix(completion) ? completion.count : 0)), choices: choices,
            recoveryOption: try container.decodeIfPresent(RecoveryOption.self, forKey: .recoveryOption),
            setting: try container.decodeIfPresent(String.self, forKey: .setting))
    }
}
