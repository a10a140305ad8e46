/// Rate, channels and encoding of interleaved little-endian samples.
public struct PCMFormat: Sendable, Equatable {
    /// How one sample is stored. The raw value is PulseAudio's name.
    public enum Encoding: String, Sendable, CaseIterable {
        /// 16-bit integer.
        case s16 = "s16le"
        /// 24-bit integer in three bytes.
        case s24 = "s24le"
        /// 32-bit integer.
        case s32 = "s32le"
        /// 32-bit float, full scale at 1.
        case f32 = "float32le"

        /// Bytes a sample.
        public var size: Int {
            switch self {
            case .s16: 2
            case .s24: 3
            case .s32, .f32: 4
            }
        }
    }

    /// Frames a second.
    public var rate: Int
    /// Samples a frame.
    public var channels: Int
    /// How each sample is stored.
    public var encoding: Encoding
    /// What each channel is, in PulseAudio's words; nil for what the server takes it for.
    public var channelMap: String?

    /// Bytes a frame.
    public var frameSize: Int { channels * encoding.size }

    /// 48 kHz stereo s16 unless told otherwise.
    public init(
        rate: Int = 48_000, channels: Int = 2, encoding: Encoding = .s16, channelMap: String? = nil
    ) {
        self.channelMap = channelMap
        self.rate = rate
        self.channels = channels
        self.encoding = encoding
    }

    /// As arguments to a module: `rate=48000 channels=2 format=s16le`.
    var moduleArguments: [String] {
        ["rate=\(rate)", "channels=\(channels)", "format=\(encoding.rawValue)"]
            + (channelMap.map { ["channel_map=\($0)"] } ?? [])
    }

    /// As options of pacat and parec.
    public var options: [String] {
        ["--rate=\(rate)", "--channels=\(channels)", "--format=\(encoding.rawValue)"]
            + (channelMap.map { ["--channel-map=\($0)"] } ?? [])
    }
}
