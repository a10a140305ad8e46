/// How a source stores samples: every format of PulseAudio.
///
/// In JSON a format is PulseAudio's name.
public enum SampleFormat: String, Sendable, Hashable, CaseIterable {
    /// Unsigned 8-bit integers, silence at 128.
    case u8
    /// A-law, 8 bits.
    case aLaw
    /// µ-law, 8 bits.
    case uLaw
    /// Signed 16-bit integers, little-endian.
    case s16LE
    /// Signed 16-bit integers, big-endian.
    case s16BE
    /// 32-bit floating point, little-endian, full scale at ±1.
    case float32LE
    /// 32-bit floating point, big-endian, full scale at ±1.
    case float32BE
    /// Signed 32-bit integers, little-endian.
    case s32LE
    /// Signed 32-bit integers, big-endian.
    case s32BE
    /// Signed 24-bit integers in three bytes, little-endian.
    case s24LE
    /// Signed 24-bit integers in three bytes, big-endian.
    case s24BE
    /// Signed 24-bit integers in the low bytes of 32 bits, little-endian.
    case s24In32LE
    /// Signed 24-bit integers in the low bytes of 32 bits, big-endian.
    case s24In32BE

    /// The size of one sample in bytes, padding included.
    public var bytesPerSample: Int {
        switch self {
        case .u8, .aLaw, .uLaw: 1
        case .s16LE, .s16BE: 2
        case .s24LE, .s24BE: 3
        case .float32LE, .float32BE, .s32LE, .s32BE, .s24In32LE, .s24In32BE: 4
        }
    }

    /// The word length that holds an integer sample without loss, in bits; nil for floating point.
    ///
    /// A-law and µ-law decode to 13 and 14 bits, which are placed in a 16-bit word.
    public var integerBits: Int? {
        switch self {
        case .u8: 8
        case .aLaw, .uLaw, .s16LE, .s16BE: 16
        case .s24LE, .s24BE, .s24In32LE, .s24In32BE: 24
        case .s32LE, .s32BE: 32
        case .float32LE, .float32BE: nil
        }
    }

    /// The magnitude from which on a sample counts as clipped, with full scale at 1: the largest positive value of the
    /// coarsest converter whose samples the format carries. Formats of 24 bits and more carry those of 16-bit converters,
    /// too.
    var clipThreshold: Float {
        switch self {
        case .u8: Self.clipThreshold(bits: 8)
        // The largest values of ITU-T G.711, as 16-bit words.
        case .aLaw: 32_256 / 32_768
        case .uLaw: 32_124 / 32_768
        default: Self.clipThreshold(bits: 16)
        }
    }

    /// The largest positive value of a converter with this word length, with full scale at 1.
    static func clipThreshold(bits: Int) -> Float {
        1 - Float(sign: .plus, exponent: 1 - bits, significand: 1)
    }

    /// PulseAudio's name for the format, such as `s16le`.
    public var pulseName: String {
        switch self {
        case .s24In32LE: "s24-32le"
        case .s24In32BE: "s24-32be"
        case .aLaw, .uLaw: rawValue
        default: rawValue.lowercased()
        }
    }
}

extension SampleFormat: Codable {
    /// Encodes the name.
    public func encode(to encoder: any Encoder) throws {
        try pulseName.encode(to: encoder)
    }

    /// Decodes the name.
    public init(from decoder: any Decoder) throws {
        let name = try String(from: decoder)
        guard let format = Self.allCases.first(where: { $0.pulseName == name }) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "unknown sample format '\(name)'"))
        }
        self = format
    }
}

extension SampleFormat {
    /// The encoding in which streams of this one are mixed: it holds all its samples, is little-endian, and its silence is
    /// zero.
    var forMixing: SampleFormat {
        switch self {
        case .s16LE, .s24LE, .s24In32LE, .s32LE, .float32LE: self
        case .u8, .aLaw, .uLaw, .s16BE: .s16LE
        case .s24BE: .s24LE
        case .s24In32BE: .s24In32LE
        case .s32BE: .s32LE
        case .float32BE: .float32LE
        }
    }
}

/// How an output stores samples. Multi-byte samples are little-endian in raw output.
@nonexhaustive
public enum SampleEncoding: String, Sendable, Hashable, CaseIterable, Codable {
    /// Unsigned 8-bit integers, silence at 128; signed in containers that require it (AIFF, CAF).
    case u8
    /// Signed 16-bit integers.
    case s16
    /// Signed 24-bit integers, in three bytes.
    case s24
    /// Signed 32-bit integers.
    case s32
    /// 32-bit floating point, full scale at ±1; higher values are kept.
    case f32
    /// 64-bit floating point, for programs that need it; no more precise than 32-bit.
    case f64

    /// The word length of an integer encoding in bits; nil for floating point.
    public var integerBits: Int? {
        switch self {
        case .u8: 8
        case .s16: 16
        case .s24: 24
        case .s32: 32
        case .f32, .f64: nil
        }
    }

    /// The size of one sample in bytes.
    public var bytesPerSample: Int {
        switch self {
        case .u8: 1
        case .s16: 2
        case .s24: 3
        case .s32, .f32: 4
        case .f64: 8
        }
    }

    /// The encoding that holds every sample of a source's format exactly.
    public init(holding format: SampleFormat) {
        switch format.integerBits {
        case 8: self = .u8
        case 16: self = .s16
        case 24: self = .s24
        case .some: self = .s32
        case nil: self = .f32
        }
    }
}

extension SampleEncoding {
    /// Whether the encoding holds every sample of a source's format exactly, as the recorder writes it: floating-point
    /// encodings are written via 32-bit floating point.
    func holds(_ format: SampleFormat) -> Bool {
        switch (integerBits, format.integerBits) {
        case (let bits?, let needed?): bits >= needed
        case (nil, let needed?): needed <= 24
        case (nil, nil): true
        case (_?, nil): false
        }
    }
}
