/// How an output stores samples. Multi-byte samples are little-endian in raw output.
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
