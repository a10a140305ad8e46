/// Where a property of a recording or of an output comes from. What is set last counts.
package enum FormatSetting<Value: Sendable & Hashable>: Sendable, Hashable {
    /// Not set: whatever stands above decides.
    case inherited
    /// The source's.
    case native
    /// Of an encoding: 16 bits if the source has no more, else 24, which no converter exceeds.
    case sufficient
    /// This value.
    case given(Value)

    /// The value; nil if it is not set, or the source's.
    package var value: Value? {
        get { if case .given(let value) = self { value } else { nil } }
        set { self = Self(newValue) }
    }

    /// The value; not set without one.
    init(_ value: Value?) { self = value.map(Self.given) ?? .inherited }

    /// This setting, or another if it is not set.
    func or(_ other: Self) -> Self { self == .inherited ? other : self }
}

/// The sample rate, channels and encoding of a recording or of an output, as far as they are set.
package struct FormatSettings: Sendable, Hashable {
    /// In Hz.
    package var sampleRate: FormatSetting<Double>
    /// Samples per frame.
    package var channelCount: FormatSetting<UInt32>
    package var encoding: FormatSetting<SampleEncoding>

    package init(
        sampleRate: FormatSetting<Double> = .inherited, channelCount: FormatSetting<UInt32> = .inherited,
        encoding: FormatSetting<SampleEncoding> = .inherited
    ) {
        (self.sampleRate, self.channelCount, self.encoding) = (sampleRate, channelCount, encoding)
    }

    /// The properties that are the source's.
    var native: SourceProperties {
        SourceProperties(
            sampleRate: sampleRate == .native, channelCount: channelCount == .native, encoding: encoding == .native)
    }

    /// Makes properties the source's or not; those that are so already stay unchanged.
    ///
    /// - Parameters:
    ///   - native: The properties that are to be the source's.
    ///   - old: Those that are now, set or inherited.
    ///   - others: What becomes of those that no longer are.
    mutating func setNative(
        _ native: SourceProperties, from old: SourceProperties, else others: FormatSettings = FormatSettings()
    ) {
        let changed = native.symmetricDifference(old)
        if changed.contains(.sampleRate) { sampleRate = native.contains(.sampleRate) ? .native : others.sampleRate }
        if changed.contains(.channelCount) {
            channelCount = native.contains(.channelCount) ? .native : others.channelCount
        }
        if changed.contains(.encoding) { encoding = native.contains(.encoding) ? .native : others.encoding }
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
        let count = channelCount.value.map(Int.init) ?? captured.channelCount
        return StreamFormat(
            sampleRate: sampleRate.value.map(Int.init) ?? captured.sampleRate,
            channelMap: count == captured.channelCount ? captured.channelMap : .standard(channelCount: count))
    }
}

/// The properties that a recording or an output can take from the source instead of from its configuration.
public struct SourceProperties: OptionSet, Sendable, Hashable {
    /// The source's sample rate.
    public static let sampleRate = SourceProperties(rawValue: 1)
    /// The source's channels.
    public static let channelCount = SourceProperties(rawValue: 2)
    /// The encoding that holds the source's samples exactly.
    public static let encoding = SourceProperties(rawValue: 4)

    /// One bit per property.
    public let rawValue: Int

    /// Creates a set from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    init(sampleRate: Bool, channelCount: Bool, encoding: Bool) {
        self.init(rawValue: (sampleRate ? 1 : 0) | (channelCount ? 2 : 0) | (encoding ? 4 : 0))
    }
}
