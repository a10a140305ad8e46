/// The sample rate and channels of a stream, however its samples are stored.
struct StreamFormat: Hashable {
    /// The valid sample rates, in Hz.
    static let sampleRates = 8_000...384_000
    /// The valid channel counts, which are PulseAudio's.
    static let channelCounts = 1...32

    /// The sample rate in Hz.
    let sampleRate: Int
    /// The position of each sample in a frame.
    let channelMap: ChannelMap

    /// Samples per frame.
    var channelCount: Int { channelMap.channelCount }

    /// The length of a number of frames in nanoseconds.
    func nanoseconds(_ frames: Int) -> UInt64 { UInt64(frames) * 1_000_000_000 / UInt64(sampleRate) }

    /// The number of frames in a time; `.max` if that is too large to represent.
    func frames(in seconds: Double) -> Int {
        let frames = (seconds * Double(sampleRate)).rounded()
        return frames < 0x1p62 ? max(Int(frames), 0) : .max
    }
}

/// The format of a stream: sample format, sample rate and channel count.
///
/// In JSON a sample spec is an object with `sample_format`, `sample_rate` and `channels`.
public struct SampleSpec: Sendable, Hashable {
    /// How each sample is stored.
    public let format: SampleFormat
    /// The sample rate in Hz.
    public let sampleRate: Int
    /// Samples per frame.
    public let channelCount: Int

    /// Creates a sample spec; its ranges are checked when a stream is opened with it.
    public init(format: SampleFormat, sampleRate: Int, channelCount: Int) {
        self.format = format
        self.sampleRate = sampleRate
        self.channelCount = channelCount
    }

    /// The size of a frame in bytes.
    public var bytesPerFrame: Int { format.bytesPerSample * channelCount }

    /// The length of a number of frames in nanoseconds.
    func nanoseconds(_ frames: Int) -> UInt64 { UInt64(Double(frames) / Double(sampleRate) * 1e9) }
}

extension SampleSpec: CustomStringConvertible {
    /// Human-readable: `48000 Hz, 2 channels, s16le`.
    public var description: String {
        "\(sampleRate) Hz, \(channelCount) channel\(channelCount == 1 ? "" : "s"), \(format.pulseName)"
    }
}

extension SampleSpec: Codable {
    private enum Key: String, CodingKey {
        case format = "sample_format"
        case sampleRate = "sample_rate"
        case channels
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(format, forKey: .format)
        try container.encode(sampleRate, forKey: .sampleRate)
        try container.encode(channelCount, forKey: .channels)
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            format: try container.decode(SampleFormat.self, forKey: .format),
            sampleRate: Int(try container.decode(UInt32.self, forKey: .sampleRate)),
            channelCount: Int(try container.decode(UInt8.self, forKey: .channels)))
    }
}
