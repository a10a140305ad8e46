import Foundation

/// The rate, channels and encoding of interleaved samples.
public struct PCMFormat: Sendable, Equatable {
    /// How a sample is stored. The raw value is PulseAudio's name.
    public enum Encoding: String, Sendable {
        /// 8-bit unsigned integer, silence at 128.
        case u8
        /// 16-bit integer.
        case s16 = "s16le"
        /// 24-bit integer in three bytes.
        case s24 = "s24le"
        /// 24-bit integer in the lower three of four bytes; the fourth is unused.
        case s24In32 = "s24-32le"
        /// 32-bit integer.
        case s32 = "s32le"
        /// 32-bit float, full scale at 1.
        case f32 = "float32le"
        /// `s16` in big-endian byte order.
        case s16BigEndian = "s16be"
        /// `s24` in big-endian byte order.
        case s24BigEndian = "s24be"
        /// `s24In32` in big-endian byte order.
        case s24In32BigEndian = "s24-32be"
        /// `s32` in big-endian byte order.
        case s32BigEndian = "s32be"
        /// `f32` in big-endian byte order.
        case f32BigEndian = "float32be"
        /// 13 bits in a logarithmic byte (ITU-T G.711).
        case aLaw
        /// 14 bits in a logarithmic byte (ITU-T G.711).
        case uLaw

        /// The little-endian counterpart; `nil` unless big-endian.
        private var littleEndian: Encoding? {
            switch self {
            case .s16BigEndian: .s16
            case .s24BigEndian: .s24
            case .s24In32BigEndian: .s24In32
            case .s32BigEndian: .s32
            case .f32BigEndian: .f32
            default: nil
            }
        }

        /// Bytes a sample.
        public var size: Int {
            switch littleEndian ?? self {
            case .s16: 2
            case .s24: 3
            case .s24In32, .s32, .f32: 4
            default: 1
            }
        }

        /// The significant bits of a sample, after expansion if it is logarithmic; `nil` for floating point.
        public var integerBits: Int? {
            switch littleEndian ?? self {
            case .aLaw, .uLaw: 16
            case .s24In32: 24
            case .f32: nil
            default: 8 * size
            }
        }

        /// Encodes 32-bit words: their upper bits, as many as fit, or the nearest float.
        ///
        /// An unused byte is not zero, but contains bits that do not fit.
        public func data(_ words: [Int32]) -> Data {
            if let littleEndian {
                let bytes = littleEndian.data(words)
                return Data(stride(from: 0, to: bytes.count, by: size).flatMap { bytes[$0..<$0 + size].reversed() })
            }
            return switch self {
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
            default: Data(words.map { UInt8(truncatingIfNeeded: $0 >> 24) })
            }
        }

        /// What remains of 32-bit words in this encoding, with full scale at 1.
        public func values(_ words: [Int32]) -> [Double] {
            if self == .aLaw || self == .uLaw { return data(words).map(expanded) }
            guard let integerBits else { return words.map { Double(Float($0)) * 0x1p-31 } }
            let mask = Int32(-1) << Int32(32 - integerBits)
            return words.map { Double($0 & mask) * 0x1p-31 }
        }

        /// The value of an A-law or µ-law byte, with full scale at 1.
        ///
        /// Follows the tables in ITU-T G.711: chords of 16 steps, each with twice the step size of the one before. In
        /// A-law the lowest two have the same step size, every other bit is inverted, and no step is zero.
        private func expanded(_ byte: UInt8) -> Double {
            let code = self == .aLaw ? byte ^ 0x55 : ~byte
            let (chord, step) = (Int(code >> 4 & 7), Double(code & 15))
            if self == .aLaw {
                let magnitude = chord == 0 ? 2 * step + 1 : (2 * step + 33) * pow(2, Double(chord - 1))
                return (code & 0x80 != 0 ? magnitude : -magnitude) / 4_096
            }
            let magnitude = (2 * step + 33) * pow(2, Double(chord)) - 33
            return (code & 0x80 != 0 ? -magnitude : magnitude) / 8_192
        }
    }

    /// The sample rate in Hz.
    public var rate: Int
    /// The channel count.
    public var channels: Int
    /// The sample encoding.
    public var encoding: Encoding
    /// PulseAudio's names of the channel positions; nil for the server's default.
    public var channelMap: String?

    /// The size of a frame in bytes.
    public var frameSize: Int { channels * encoding.size }

    /// By default 48 kHz stereo s16.
    public init(
        rate: Int = 48_000, channels: Int = 2, encoding: Encoding = .s16, channelMap: String? = nil
    ) {
        self.channelMap = channelMap
        self.rate = rate
        self.channels = channels
        self.encoding = encoding
    }

    /// The format as module arguments: `rate=48000 channels=2 format=s16le`.
    var moduleArguments: [String] {
        ["rate=\(rate)", "channels=\(channels)", "format=\(encoding.rawValue)"]
            + (channelMap.map { ["channel_map=\($0)"] } ?? [])
    }

    /// The format as options of pacat and parec.
    public var options: [String] {
        ["--rate=\(rate)", "--channels=\(channels)", "--format=\(encoding.rawValue)"]
            + (channelMap.map { ["--channel-map=\($0)"] } ?? [])
    }
}
