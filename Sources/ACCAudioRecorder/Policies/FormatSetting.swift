/// Where a property of a recording or of an output comes from. A number stands for itself: `format.sampleRate = 48_000`.
///
/// In JSON a setting is its value, or `"inherited"`, `"native"` or `"sufficient"`.
public enum FormatSetting<Value: Sendable & Hashable>: Sendable, Hashable {
    /// Not set: the recording's for an output, the session mode's for a recording.
    case inherited
    /// The source's.
    case native
    /// Of an encoding, 16 bits if the source has no more, else 24, which no converter exceeds; of a rate or a channel count, the
    /// source's.
    case sufficient
    /// This value.
    case given(Value)

    /// The given value; nil if none is. Setting nil leaves the property to what it inherits.
    public var value: Value? {
        get { if case .given(let value) = self { value } else { nil } }
        set { self = Self(newValue) }
    }

    /// Creates a setting with a given value; an inherited one without.
    public init(_ value: Value?) { self = value.map(Self.given) ?? .inherited }

    /// This setting, or another if it is not set.
    func or(_ other: Self) -> Self { self == .inherited ? other : self }
}

extension FormatSetting: ExpressibleByIntegerLiteral where Value: ExpressibleByIntegerLiteral {
    /// Creates a setting with a given value.
    public init(integerLiteral value: Value.IntegerLiteralType) { self = .given(Value(integerLiteral: value)) }
}

extension FormatSetting: ExpressibleByFloatLiteral
where Value: ExpressibleByFloatLiteral & ExpressibleByIntegerLiteral {
    /// Creates a setting with a given value.
    public init(floatLiteral value: Value.FloatLiteralType) { self = .given(Value(floatLiteral: value)) }
}

/// The sample rate, channels and encoding of a recording or of an output, as far as they are set.
///
/// In JSON format settings are an object with `sample_rate`, `channels` and `encoding`; what is missing is inherited.
public struct FormatSettings: Sendable, Hashable {
    /// In Hz, a whole number from 8,000 to 384,000.
    public var sampleRate: FormatSetting<Double>
    /// Samples per frame, from 1 to 32.
    public var channelCount: FormatSetting<UInt32>
    /// The encoding of the samples in files and pipes. A lossy container takes none but an output's own, and refuses that.
    public var encoding: FormatSetting<SampleEncoding>

    /// All that the source has: rate, channels and encoding.
    public static let native = FormatSettings(sampleRate: .native, channelCount: .native, encoding: .native)

    /// Creates settings. What is not given is inherited.
    public init(
        sampleRate: FormatSetting<Double> = .inherited, channelCount: FormatSetting<UInt32> = .inherited,
        encoding: FormatSetting<SampleEncoding> = .inherited
    ) {
        (self.sampleRate, self.channelCount, self.encoding) = (sampleRate, channelCount, encoding)
    }

    /// These settings, with others for what is not set.
    package func or(_ others: FormatSettings) -> FormatSettings {
        FormatSettings(
            sampleRate: sampleRate.or(others.sampleRate), channelCount: channelCount.or(others.channelCount),
            encoding: encoding.or(others.encoding))
    }

    /// The format of frames with these settings after conversion from the captured format. Channels keep their positions
    /// if their number does not change.
    func form(from captured: StreamFormat) -> StreamFormat {
        let count = channelCount.value ?? captured.channelMap.channelCount
        return StreamFormat(
            sampleRate: sampleRate.value.map(Int.init) ?? captured.sampleRate,
            channelMap: count == captured.channelMap.channelCount ? captured.channelMap : .standard(channelCount: count)
        )
    }
}

extension FormatSetting: Codable where Value: Codable {
    /// Encodes the value or the name of the case.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .inherited: try "inherited".encode(to: encoder)
        case .native: try "native".encode(to: encoder)
        case .sufficient: try "sufficient".encode(to: encoder)
        case .given(let value): try value.encode(to: encoder)
        }
    }

    /// Decodes a value or the name of a case.
    public init(from decoder: any Decoder) throws {
        switch try? String(from: decoder) {
        case "inherited": self = .inherited
        case "native": self = .native
        case "sufficient": self = .sufficient
        default: self = .given(try Value(from: decoder))
        }
    }
}

extension FormatSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case encoding
        case sampleRate = "sample_rate"
        case channelCount = "channels"
    }

    /// Decodes what is there.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.decode(.sampleRate, into: &sampleRate)
        try container.decode(.channelCount, into: &channelCount)
        try container.decode(.encoding, into: &encoding)
    }
}
