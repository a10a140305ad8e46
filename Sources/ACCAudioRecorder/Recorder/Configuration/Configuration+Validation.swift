// The settings of a configuration that are refused, before anything is opened.

extension ACCAudioRecorder.Configuration {
    /// Checks the ranges of all settings, and that none contradicts another.
    ///
    /// - Throws: `audioFormatCreationFailed` for a sample rate, channel count, buffer size or selection of channels out of range;
    ///   `invalidConfiguration` for any other setting. Each names it (``ACCAudioRecorderError/Failure/setting``).
    func validate() throws(ACCAudioRecorderError) {
        guard Self.sampleRates.contains(sampleRate), sampleRate == sampleRate.rounded() else {
            throw Self.refusedFormat(
                "sampleRate", "a rate of \(sampleRate.plain) Hz",
                remedy: "Choose a whole number of Hz from 8000 to 384000.")
        }
        guard Self.channelCounts.contains(channelCount) else {
            throw Self.refusedFormat("channelCount", "\(channelCount) channels", remedy: "Choose from 1 to 32.")
        }
        guard Self.bufferSizes.contains(bufferSize) else {
            throw Self.refusedFormat(
                "bufferSize", "a buffer of \(bufferSize) frames", remedy: "Choose from 16 to 65536.")
        }
        if let timeout = interruptions.timeout, timeout < .zero {
            throw Self.refused(
                "interruptions.timeout", "with an interruption time-out of \(timeout.seconds) s",
                remedy: "Choose 0 or more.")
        }
        try Self.validate(channels.numbers, setting: "channels.numbers")
        try validateInput()
        try splitting.validate()
        try retention.validate()
        try soundActivation?.validate()
        if let input = soundActivation?.input, let obstacle = inputs.obstacle(toTrack: input, inputLayout) {
            throw Self.refused(
                "soundActivation.input", "by the sound of '\(input)'", cause: obstacle.cause, remedy: obstacle.remedy)
        }
    }

    private static func validate(_ channels: [Int], setting: String) throws(ACCAudioRecorderError) {
        guard channels.count <= 32, channels.allSatisfy({ (1...32).contains($0) }) else {
            throw refusedFormat(
                setting, "channels \(channels.map(String.init).joined(separator: ","))",
                remedy: "Select up to 32 channels, counted from 1.")
        }
    }

    private func validateInput() throws(ACCAudioRecorderError) {
        guard !inputs.isEmpty else {
            throw Self.refused("inputs", "nothing", cause: "there is no input", remedy: "Name one.")
        }
        guard inputs.count == Set(inputs.map(\.name)).count else {
            throw Self.refused(
                "inputs", "an input twice", cause: "it would be the same", remedy: "Name each input once.")
        }
        guard inputs.count == 1 || !interruptions.followsDefault else {
            throw Self.refused(
                "interruptions.followsDefault", "several inputs", cause: "they do not follow the default source",
                remedy: "Leave that out.")
        }
        for input in inputs { try validate(input) }
        for (input, settings) in inputSettings {
            guard inputs.count > 1, inputs.contains(input) else {
                throw Self.refused(
                    "inputSettings", "with settings of '\(input.name)'",
                    cause: inputs.count == 1 ? "there is one input only" : "it is not recorded",
                    remedy: "Set them for one of several inputs.")
            }
            try Self.validate(settings, of: input)
        }
    }

    private func validate(_ input: RecordingInput) throws(ACCAudioRecorderError) {
        guard let application = input.application else { return }
        let (setting, cause, remedy): (String, String, String)
        if application.allSatisfy(\.isWhitespace) {
            (setting, cause, remedy) = ("inputs", "it has no name", "Name one that plays.")
        } else if capture.api == .simple {
            (setting, cause, remedy) = ("capture.api", "the simple API cannot", "Use the asynchronous API.")
        } else if interruptions.followsDefault {
            (setting, cause, remedy) = (
                "interruptions.followsDefault", "it does not follow the default source", "Leave that out."
            )
        } else if interruptions.onDisconnect == .fallback {
            (setting, cause, remedy) = (
                "interruptions.onDisconnect", "no other source can take its place",
                "Let the recording wait, stop or discard."
            )
        } else {
            return
        }
        throw Self.refused(setting, "the application '\(application)'", cause: cause, remedy: remedy)
    }

    private static func validate(_ settings: InputSettings, of input: RecordingInput) throws(ACCAudioRecorderError) {
        try validate(settings.selectedChannels, setting: "inputSettings.selectedChannels")
        guard (-120...60).contains(settings.gain) else {
            throw refused(
                "inputSettings.gain", "'\(input.name)' with a gain of \(settings.gain) dB",
                remedy: "Choose from -120 to 60 dB.")
        }
        guard (.zero - InputSettings.longestDelay...InputSettings.longestDelay).contains(settings.delay) else {
            throw refused(
                "inputSettings.delay", "'\(input.name)' with a delay of \(settings.delay.seconds) s",
                remedy: "Choose from -5 to 5 s.")
        }
    }

    /// The refusal of a setting.
    ///
    /// - Parameter what: What cannot be recorded.
    private static func refused(
        _ setting: String, _ what: String, cause: String = outOfRange, remedy: String
    ) -> ACCAudioRecorderError {
        .refused(setting, "cannot record \(what)", cause: cause, remedy: remedy)
    }

    /// The refusal of a setting of the format.
    static func refusedFormat(
        _ setting: String, _ what: String, cause: String = outOfRange, remedy: String
    ) -> ACCAudioRecorderError {
        .audioFormatCreationFailed(
            .init(.invalidFormat, "cannot record \(what)", cause: cause, remedy: remedy, setting: setting))
    }

    private static let outOfRange = "it is out of range"
}
