/// How an output stores one sample. Multi-byte samples are little-endian in raw output.
public enum SampleEncoding: String, Sendable, Hashable, CaseIterable {
    /// Unsigned integers of 8 bits, silence at 128; with a sign where the container has it so (AIFF, CAF).
    case u8
    /// Signed integers of 16 bits.
    case s16
    /// Signed integers of 24 bits, in three bytes.
    case s24
    /// Signed integers of 32 bits.
    case s32
    /// Floating point of 32 bits, full scale at ±1; values beyond are kept.
    case f32
    /// Floating point of 64 bits, which holds nothing more than that of 32 does, for programs that want it.
    case f64

    /// The word length of an integer encoding; nil for floating point.
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

    /// The encoding that holds every sample of a source's format as it is.
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
    /// Whether the encoding holds every sample of a source's format as it is, the way the recorder writes it: through
    /// 32-bit floating point where it is one of floating point.
    func holds(_ format: SampleFormat) -> Bool {
        switch (integerBits, format.integerBits) {
        case (let bits?, let needed?): bits >= needed
        case (nil, let needed?): needed <= 24
        case (nil, nil): true
        case (_?, nil): false
        }
    }
}
