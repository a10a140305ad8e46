/// What a recording delivers, with everything decided that its configuration left to the mode or to the source.
public struct RecordingFormat: Sendable, Hashable, Codable {
    /// The sample rate in Hz, a whole number.
    public let sampleRate: Double
    /// The position of each sample in a frame.
    public let channelMap: ChannelMap
    /// Frames per buffer.
    public let bufferSize: UInt32
    /// The quality of sample rate conversion.
    public let resamplerQuality: ResamplerQuality
    /// The outputs as requested, with their rates, channel counts and encodings filled in. Only a lossy container leaves
    /// the encoding nil.
    public let outputs: [RecordingOutput]

    /// Samples per frame.
    public var channelCount: UInt32 { UInt32(channelMap.channelCount) }

    private enum CodingKeys: String, CodingKey {
        case outputs
        case sampleRate = "sample_rate"
        case channelMap = "channel_map"
        case bufferSize = "buffer_size"
        case resamplerQuality = "resampler_quality"
    }

    /// Creates a format, for tests of code that receives events.
    ///
    /// - Parameters:
    ///   - sampleRate: In Hz, a whole number.
    ///   - channelMap: The position of each sample in a frame.
    ///   - bufferSize: Frames per buffer.
    ///   - resamplerQuality: The quality of sample rate conversion.
    ///   - outputs: The outputs, with everything filled in.
    public init(
        sampleRate: Double, channelMap: ChannelMap, bufferSize: UInt32 = 4_096,
        resamplerQuality: ResamplerQuality = .medium, outputs: [RecordingOutput] = []
    ) {
        self.sampleRate = sampleRate
        self.channelMap = channelMap
        self.bufferSize = bufferSize
        self.resamplerQuality = resamplerQuality
        self.outputs = outputs
    }
}
