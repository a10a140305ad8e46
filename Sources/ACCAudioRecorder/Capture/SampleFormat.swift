import CPulse

/// How one sample is stored by a source: every format that PulseAudio offers.
public enum SampleFormat: String, Sendable, Hashable, CaseIterable {
    /// Unsigned integers of 8 bits, silence at 128.
    case u8
    /// A-law, 8 bits.
    case aLaw
    /// µ-law, 8 bits.
    case uLaw
    /// Signed integers of 16 bits, little-endian.
    case s16LE
    /// Signed integers of 16 bits, big-endian.
    case s16BE
    /// Floating point of 32 bits, little-endian, full scale at ±1.
    case float32LE
    /// Floating point of 32 bits, big-endian, full scale at ±1.
    case float32BE
    /// Signed integers of 32 bits, little-endian.
    case s32LE
    /// Signed integers of 32 bits, big-endian.
    case s32BE
    /// Signed integers of 24 bits in three bytes, little-endian.
    case s24LE
    /// Signed integers of 24 bits in three bytes, big-endian.
    case s24BE
    /// Signed integers of 24 bits in the low bytes of 32, little-endian.
    case s24In32LE
    /// Signed integers of 24 bits in the low bytes of 32, big-endian.
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

    /// The bits that an integer sample needs so that nothing of it is lost; nil for floating point.
    ///
    /// A-law and µ-law decode to 13 and 14 bits, which G.711 places in a 16-bit word.
    public var integerBits: Int? {
        switch self {
        case .u8: 8
        case .aLaw, .uLaw, .s16LE, .s16BE: 16
        case .s24LE, .s24BE, .s24In32LE, .s24In32BE: 24
        case .s32LE, .s32BE: 32
        case .float32LE, .float32BE: nil
        }
    }

    /// PulseAudio's own name of the format, such as `s16le`.
    public var pulseName: String {
        String(cString: pa_sample_format_to_string(pulse))
    }

    var pulse: pa_sample_format_t {
        switch self {
        case .u8: PA_SAMPLE_U8
        case .aLaw: PA_SAMPLE_ALAW
        case .uLaw: PA_SAMPLE_ULAW
        case .s16LE: PA_SAMPLE_S16LE
        case .s16BE: PA_SAMPLE_S16BE
        case .float32LE: PA_SAMPLE_FLOAT32LE
        case .float32BE: PA_SAMPLE_FLOAT32BE
        case .s32LE: PA_SAMPLE_S32LE
        case .s32BE: PA_SAMPLE_S32BE
        case .s24LE: PA_SAMPLE_S24LE
        case .s24BE: PA_SAMPLE_S24BE
        case .s24In32LE: PA_SAMPLE_S24_32LE
        case .s24In32BE: PA_SAMPLE_S24_32BE
        }
    }

    init?(pulse: pa_sample_format_t) {
        guard let format = Self.allCases.first(where: { $0.pulse == pulse }) else { return nil }
        self = format
    }
}
