import CPulse

/// What a stream of frames is made of: sample format, rate and channels.
public struct SampleSpec: Sendable, Hashable {
    /// How each sample is stored.
    public let format: SampleFormat
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// Samples in a frame.
    public let channelCount: Int

    /// A sample spec of the given parts; ranges are checked where a stream is opened with it.
    public init(format: SampleFormat, sampleRate: Int, channelCount: Int) {
        self.format = format
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// The size of a frame in bytes.
    public var bytesPerFrame: Int { format.bytesPerSample * channelCount }

    /// Nil where the server's format is none that a sound server can capture.
    init?(pulse spec: pa_sample_spec) {
        guard let format = SampleFormat(pulse: spec.format) else { return nil }
        self.init(format: format, sampleRate: Int(spec.rate), channelCount: Int(spec.channels))
    }

    var pulse: pa_sample_spec {
        pa_sample_spec(format: format.pulse, rate: UInt32(sampleRate), channels: UInt8(channelCount))
    }
}

extension SampleSpec: CustomStringConvertible {
    /// For people: `48000 Hz, 2 channels, s16le`.
    public var description: String {
        "\(sampleRate) Hz, \(channelCount) channel\(channelCount == 1 ? "" : "s"), \(format.pulseName)"
    }
}
