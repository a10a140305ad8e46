import ACCAudioRecorder

/// The formats of source and output in short form: `48000 Hz 2 ch s16le`, `44100 Hz 1 ch s16 wav`.
struct FormatText {
    let configuration: ACCAudioRecorder.Configuration
    let output: RecordingOutput?
    let source: AudioSource

    var sourceFormat: String {
        "\(source.sampleSpec.sampleRate) Hz \(source.sampleSpec.channelCount) ch \(source.sampleSpec.format.pulseName)"
    }

    /// The names of the recording's channels (`ChannelMap.labels`).
    var channelLabels: [String] { configuration.channelMap(recording: source)?.labels ?? [] }

    /// Nil if nothing is recorded.
    var outputFormat: String? {
        guard let output else { return nil }
        let configuration = configuration.applying(output)
        let native = configuration.native
        let rate = native.contains(.sampleRate) ? source.sampleSpec.sampleRate : Int(configuration.sampleRate)
        let selected = configuration.selectedChannels.count
        let captured = selected > 0 ? selected : source.sampleSpec.channelCount
        let channels = native.contains(.channelCount) ? captured : Int(configuration.channelCount)
        let form = "\(rate) Hz \(channels) ch"
        guard !output.container.isLossy else { return "\(form) \(output.container)" }
        let encoding =
            native.contains(.encoding) ? SampleEncoding(holding: source.sampleSpec.format) : configuration.encoding
        return "\(form) \(encoding.rawValue) \(output.container)"
    }
}
