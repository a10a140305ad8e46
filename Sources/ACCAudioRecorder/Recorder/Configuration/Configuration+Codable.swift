extension ACCAudioRecorder.Configuration: Codable {
    private enum Key: String, CodingKey {
        case mode, format, channels, quality, inputs, capture, interruptions, splitting, retention, program
        case bufferSize = "buffer_size"
        case inputLayout = "input_layout"
        case inputSettings = "input_settings"
        case soundActivation = "sound_activation"
    }

    private struct Setting: Codable {
        let input: RecordingInput
        let settings: InputSettings
    }

    /// Encodes everything but what the mode decides.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(nameOf: audioSessionMode, forKey: .mode)
        try container.encode(format, forKey: .format)
        try container.encode(channels, forKey: .channels)
        try container.encodeIfPresent(modeSettings.givenBufferSize, forKey: .bufferSize)
        try container.encodeIfPresent(modeSettings.givenQuality, forKey: .quality)
        try container.encode(inputs, forKey: .inputs)
        try container.encode(inputLayout, forKey: .inputLayout)
        let settings = inputs.compactMap { input in
            inputSettings[input].map { Setting(input: input, settings: $0) }
        }
        try container.encode(settings, forKey: .inputSettings)
        try container.encode(capture, forKey: .capture)
        try container.encode(interruptions, forKey: .interruptions)
        try container.encode(splitting, forKey: .splitting)
        try container.encode(retention, forKey: .retention)
        try container.encodeIfPresent(soundActivation, forKey: .soundActivation)
        try container.encode(program, forKey: .program)
    }

    /// Decodes what is there. Ranges are checked when a recording starts.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: Key.self)
        if container.contains(.mode) {
            audioSessionMode = try container.decode(nameOf: ACCAudioRecorder.AudioSessionMode.self, forKey: .mode)
        }
        try container.decode(.format, into: &format)
        try container.decode(.channels, into: &channels)
        try container.decode(.bufferSize, into: &modeSettings.givenBufferSize)
        try container.decode(.quality, into: &modeSettings.givenQuality)
        try container.decode(.inputs, into: &inputs)
        try container.decode(.inputLayout, into: &inputLayout)
        for setting in try container.decodeIfPresent([Setting].self, forKey: .inputSettings) ?? [] {
            inputSettings[setting.input] = setting.settings
        }
        try container.decode(.capture, into: &capture)
        try container.decode(.interruptions, into: &interruptions)
        try container.decode(.splitting, into: &splitting)
        try container.decode(.retention, into: &retention)
        try container.decode(.soundActivation, into: &soundActivation)
        try container.decode(.program, into: &program)
    }
}
