/// The loudspeaker that a channel is for, with PulseAudio's names: `mono`, `front-left`, `lfe`, `aux3` …
public struct ChannelPosition: RawRepresentable, Sendable, Hashable, Codable {
    /// The only channel.
    public static let mono = ChannelPosition("mono")
    /// Left.
    public static let frontLeft = ChannelPosition("front-left")
    /// Right.
    public static let frontRight = ChannelPosition("front-right")
    /// Centre.
    public static let frontCenter = ChannelPosition("front-center")
    /// Low-frequency effects, as in 5.1.
    public static let lowFrequency = ChannelPosition("lfe")
    /// Surround, rear left.
    public static let rearLeft = ChannelPosition("rear-left")
    /// Surround, rear right.
    public static let rearRight = ChannelPosition("rear-right")
    /// Surround, rear centre.
    public static let rearCenter = ChannelPosition("rear-center")
    /// Surround, side left.
    public static let sideLeft = ChannelPosition("side-left")
    /// Surround, side right.
    public static let sideRight = ChannelPosition("side-right")
    /// Between left and centre.
    public static let frontLeftOfCenter = ChannelPosition("front-left-of-center")
    /// Between centre and right.
    public static let frontRightOfCenter = ChannelPosition("front-right-of-center")

    /// PulseAudio's name for the position.
    public let rawValue: String

    /// Creates a position from PulseAudio's name or short name (`left`, `right`, `center`, `subwoofer`). Nil for a name
    /// that PulseAudio does not know.
    public init?(rawValue: String) {
        let name = Self.shortNames[rawValue] ?? rawValue
        guard Self.names.contains(name) else { return nil }
        self.rawValue = name
    }

    /// All of PulseAudio's names, from its `channelmap.c`.
    private static let names: Set<String> = Set(
        [
            "mono", "front-left", "front-right", "front-center", "rear-center", "rear-left", "rear-right", "lfe",
            "front-left-of-center", "front-right-of-center", "side-left", "side-right", "top-center", "top-front-left",
            "top-front-right", "top-front-center", "top-rear-left", "top-rear-right", "top-rear-center",
        ] + (0..<32).map { "aux\($0)" })

    private static let shortNames = [
        "left": "front-left", "right": "front-right", "center": "front-center", "subwoofer": "lfe",
    ]

    private init(_ name: String) {
        rawValue = name
    }

    /// A channel of which only the number is known, not the position.
    static func auxiliary(_ number: Int) -> ChannelPosition {
        ChannelPosition("aux\(number)")
    }

    /// Whether the channel has no known position.
    public var isAuxiliary: Bool { rawValue.hasPrefix("aux") }
}

extension ChannelPosition: CustomStringConvertible {
    /// PulseAudio's name.
    public var description: String { rawValue }
}
