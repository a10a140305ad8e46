import Foundation

/// Rate, channels and encoding of interleaved little-endian samples.
public struct PCMFormat: Sendable, Equatable {
    /// How one sample is stored. The raw value is PulseAudio's name.
    public enum Encoding: String, Sendable, CaseIterable {
        /// 8-bit unsigned integer, silence at 128.
        case u8
        /// 16-bit integer.
        case s16 = "s16le"
        /// 24-bit integer in three bytes.
        case s24 = "s24le"
        /// 24-bit integer in the low three of four bytes; the fourth means nothing.
        case s24In32 = "s24-32le"
        /// 32-bit integer.
        case s32 = "s32le"
        /// 32-bit float, full scale at 1.
        case f32 = "float32le"

        /// Bytes a sample.
        public var size: Int {
            switch self {
            case .u8: 1
            case .s16: 2
            case .s24: 3
            case .s24In32, .s32, .f32: 4
            }
        }

        /// Bits of a sample that mean something; `nil` for floating point.
        public var integerBits: Int? {
            switch self {
            case .s24In32: 24
            case .f32: nil
            default: 8 * size
            }
        }

        /// Words of 32 bits in this encoding: their upper bits, as many as there are, or the nearest float.
        ///
        /// Where a byte means nothing it is not empty, but has the bits that do not fit.
        public func data(_ words: [Int32]) -> Data {
            switch self {
            case .u8: Data(words.map { UInt8(bitPattern: Int8(truncatingIfNeeded: $0 >> 24)) ^ 0x80 })
            case .s16: Signal.data(words.map { Int16(truncatingIfNeeded: $0 >> 16) })
            case .s24:
                Data(
                    words.flatMap {
                        [
                            UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0 >> 16),
                            UInt8(truncatingIfNeeded: $0 >> 24),
                        ]
                    })
            case .s24In32:
                Signal.data(words.map { Int32(bitPattern: UInt32(bitPattern: $0) >> 8 | UInt32(bitPattern: $0) << 24) })
            case .s32: Signal.data(words)
            case .f32: Signal.data(words.map { Float($0) * 0x1p-31 })
            }
        }

        /// What is left of words of 32 bits in this encoding, with full scale at 1.
        public func values(_ words: [Int32]) -> [Double] {
            guard let integerBits else { return words.map { Double(Float($0)) * 0x1p-31 } }
            let mask = Int32(-1) << Int32(32 - integerBits)
            return words.map { Double($0 & mask) * 0x1p-31 }
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
