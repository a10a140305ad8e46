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
    var channelCount: Int { channelMap.count }

    /// The length of a number of frames in nanoseconds.
    func nanoseconds(_ frames: Int) -> UInt64 { UInt64(frames) * 1_000_000_000 / UInt64(sampleRate) }

    /// The number of frames in a time; `.max` if that is too large to represent.
    func frames(in seconds: Double) -> Int {
        let frames = (seconds * Double(sampleRate)).rounded()
        return frames < 0x1p62 ? max(Int(frames), 0) : .max
    }
}

extension Double {
    /// In digits, without decimals if it is a whole number: a sample rate as it is read.
    package var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}

/// The format of a stream: sample format, sample rate and channel count.
///
/// In JSON a sample spec is an object with `sample_format`, `sample_rate` and `channels`.
public struct SampleSpec: Sendable, Hashable {
    /// How each sample is stored.
    public let format: SampleFormat
    // What computes with frames and indices uses integers, with the names of `pa_sample_spec`.
    let rate: Int
    let channels: Int

    /// Creates a sample spec; its ranges are checked when a stream is opened with it.
    ///
    /// - Parameters:
    ///   - format: How each sample is stored.
    ///   - sampleRate: In Hz; rounded to a whole number, and 0 if it is no number.
    ///   - channelCount: Samples per frame.
    public init(format: SampleFormat, sampleRate: Double, channelCount: UInt32) {
        self.init(format: format, rate: Int(exactly: sampleRate.rounded()) ?? 0, channels: Int(channelCount))
    }

    init(format: SampleFormat, rate: Int, channels: Int) {
        (self.format, self.rate, self.channels) = (format, rate, channels)
    }

    /// The sample rate in Hz.
    public var sampleRate: Double { Double(rate) }

    /// Samples per frame.
    public var channelCount: UInt32 { UInt32(channels) }

    /// The size of a frame in bytes.
    public var bytesPerFrame: Int { format.bytesPerSample * channels }

    /// The length of a number of frames in nanoseconds.
    func nanoseconds(_ frames: Int) -> UInt64 { UInt64(Double(frames) / sampleRate * 1e9) }
}

extension SampleSpec: CustomStringConvertible {
    /// Human-readable: `48000 Hz, 2 channels, s16le`.
    public var description: String {
        "\(rate) Hz, \(channels) channel\(channels == 1 ? "" : "s"), \(format.pulseName)"
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
        try container.encode(rate, forKey: .sampleRate)
        try container.encode(channels, forKey: .channels)
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            format: try container.decode(SampleFormat.self, forKey: .format),
            rate: Int(try container.decode(UInt32.self, forKey: .sampleRate)),
            channels: Int(try container.decode(UInt8.self, forKey: .channels)))
    }
}

/// A block of interleaved frames that passes through the engine; valid during the call that receives it.
struct AudioBlock {
    /// The samples, full scale at ±1.
    var samples: UnsafeBufferPointer<Float>
    /// The same samples exactly as the source delivered them, left-justified in 32 bits; only if nothing was converted
    /// and the source's samples are integers.
    var exactSamples: UnsafeBufferPointer<Int32>?
    /// The word length of the exact samples in bits.
    var exactBits = 0
    /// Whether the samples were mixed or resampled, and so no longer have the source's word length.
    var isConverted = false
    /// Samples per frame.
    let channelCount: Int

    /// Frames in the block.
    var frameCount: Int { samples.count / channelCount }

    /// The first `frames` frames, or all if there are fewer.
    func prefix(_ frames: Int) -> AudioBlock {
        part(from: 0, frames: frames)
    }

    /// `frames` frames starting at `first`, or all that remain if there are fewer.
    func part(from first: Int, frames: Int) -> AudioBlock {
        let length = min(max(frames, 0), frameCount - first)
        guard length < frameCount else { return self }
        let range = first * channelCount..<(first + length) * channelCount
        return AudioBlock(
            samples: UnsafeBufferPointer(rebasing: samples[range]),
            exactSamples: exactSamples.map { UnsafeBufferPointer(rebasing: $0[range]) }, exactBits: exactBits,
            isConverted: isConverted, channelCount: channelCount)
    }
}

/// Consecutive frames in memory, with the samples of each channel side by side. Valid for the length of a call.
struct PlanarFrames {
    /// The first channel's sample of the first frame.
    let base: UnsafePointer<Float>
    /// The distance from a channel to the next one, in samples.
    let stride: Int
    let channelCount: Int
    let frameCount: Int
    /// How many frames before the first one can be read; zeros before the beginning.
    let history: Int

    /// The samples of a channel, from index `-history` up to `frameCount`.
    func samples(of channel: Int) -> UnsafePointer<Float> { base + channel * stride }

    /// Some of the frames.
    func part(from first: Int, count: Int) -> PlanarFrames {
        PlanarFrames(
            base: base + first, stride: stride, channelCount: channelCount, frameCount: count, history: history + first)
    }
}
