import CPulse

/// Which loudspeaker a channel is meant for, in PulseAudio's words: `mono`, `front-left`, `lfe`, `aux3` …
public struct ChannelPosition: RawRepresentable, Sendable, Hashable {
    /// The only channel there is.
    public static let mono = ChannelPosition("mono")
    /// Left.
    public static let frontLeft = ChannelPosition("front-left")
    /// Right.
    public static let frontRight = ChannelPosition("front-right")
    /// Centre.
    public static let frontCenter = ChannelPosition("front-center")
    /// The low-frequency effects of 5.1 and the like.
    public static let lowFrequency = ChannelPosition("lfe")
    /// Surround, behind at the left.
    public static let rearLeft = ChannelPosition("rear-left")
    /// Surround, behind at the right.
    public static let rearRight = ChannelPosition("rear-right")
    /// Surround, behind.
    public static let rearCenter = ChannelPosition("rear-center")
    /// Surround, at the left.
    public static let sideLeft = ChannelPosition("side-left")
    /// Surround, at the right.
    public static let sideRight = ChannelPosition("side-right")
    /// Between left and centre.
    public static let frontLeftOfCenter = ChannelPosition("front-left-of-center")
    /// Between centre and right.
    public static let frontRightOfCenter = ChannelPosition("front-right-of-center")

    /// PulseAudio's name of the position.
    public let rawValue: String

    /// Nil for a name that PulseAudio does not know.
    public init?(rawValue: String) {
        guard pa_channel_position_from_string(rawValue) != PA_CHANNEL_POSITION_INVALID else { return nil }
        self.rawValue = rawValue
    }

    init(pulse position: pa_channel_position_t) {
        rawValue = String(cString: pa_channel_position_to_string(position))
    }

    private init(_ name: String) {
        rawValue = name
    }

    /// A channel without a place in the room, of which only the number is known.
    static func auxiliary(_ number: Int) -> ChannelPosition {
        ChannelPosition("aux\(number)")
    }

    /// Whether the channel has no place in the room.
    public var isAuxiliary: Bool { rawValue.hasPrefix("aux") }
}

extension ChannelPosition: CustomStringConvertible {
    /// PulseAudio's name.
    public var description: String { rawValue }
}
