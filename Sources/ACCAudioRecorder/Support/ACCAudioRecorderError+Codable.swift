extension ACCAudioRecorderError: Codable {
    private enum Key: String, CodingKey {
        case kind
    }

    /// The errors with the names of their cases.
    private static func named(_ failure: Failure) -> [(name: String, error: Self)] {
        [
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
        case reason, what, cause, remedy
        case recoveryOption = "recovery_option"
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(nameOf: reason, forKey: .reason)
        try container.encode(what, forKey: .what)
        try container.encode(cause, forKey: .cause)
        try container.encode(remedy, forKey: .remedy)
        try container.encodeIfPresent(recoveryOption, forKey: .recoveryOption)
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            try container.decode(nameOf: Reason.self, forKey: .reason),
            try container.decode(String.self, forKey: .what),
            cause: try container.decode(String.self, forKey: .cause),
            remedy: try container.decode(String.self, forKey: .remedy),
            recoveryOption: try container.decodeIfPresent(RecoveryOption.self, forKey: .recoveryOption))
    }
}
