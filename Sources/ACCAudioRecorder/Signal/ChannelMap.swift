/// The loudspeaker position of each channel in a frame.
///
/// In JSON a map is an array of names.
public struct ChannelMap: Sendable, Hashable {
    /// One element per channel, in the order of the samples in a frame.
    public let positions: [ChannelPosition]

    /// The number of channels.
    public var channelCount: UInt32 { UInt32(count) }

    var count: Int { positions.count }

    /// Creates a map of the given positions.
    public init(_ positions: [ChannelPosition]) {
        self.positions = positions
    }

    /// Creates a map from PulseAudio's names, separated by commas (`front-left,front-right,lfe`), or from `mono`,
    /// `stereo`, `surround-21`, `surround-40`, `surround-41`, `surround-50`, `surround-51` or `surround-71`.
    ///
    /// Nil for a name that PulseAudio does not know, and for more than 32 channels.
    public init?(names: String) {
        let positions: [ChannelPosition]
        if let map = Self.named[names] {
            positions = map
        } else {
            // libpulse accepts a trailing comma.
            let list = names.hasSuffix(",") ? names.dropLast() : names[...]
            let parts = list.split(separator: ",", omittingEmptySubsequences: false)
            positions = parts.compactMap { ChannelPosition(rawValue: String($0)) }
            guard positions.count == parts.count, positions.count <= Self.mostChannels else { return nil }
        }
        self.init(positions)
    }

    /// PulseAudio's maximum number of channels.
    private static let mostChannels = 32

    private static let named: [String: [ChannelPosition]] = {
        let front: [ChannelPosition] = [.frontLeft, .frontRight]
        let rear: [ChannelPosition] = [.rearLeft, .rearRight]
        return [
            "mono": [.mono],
            "stereo": front,
            "surround-21": front + [.lowFrequency],
            "surround-40": front + rear,
            "surround-41": front + rear + [.lowFrequency],
            "surround-50": front + rear + [.frontCenter],
            "surround-51": front + rear + [.frontCenter, .lowFrequency],
            "surround-71": front + rear + [.frontCenter, .lowFrequency, .sideLeft, .sideRight],
        ]
    }()

    /// The default map of files with a given channel count, up to 7.1 (RFC 9639, 9.1.3; the same order as in WAV
    /// files). Beyond eight channels, and for none, positions are unknown: `aux0`, `aux1` …
    public static func standard(channelCount: UInt32) -> ChannelMap {
        let front: [ChannelPosition] = [.frontLeft, .frontRight]
        switch channelCount {
        case 1: return ChannelMap([.mono])
        case 2: return ChannelMap(front)
        case 3: return ChannelMap(front + [.frontCenter])
        case 4: return ChannelMap(front + [.rearLeft, .rearRight])
        case 5: return ChannelMap(front + [.frontCenter, .rearLeft, .rearRight])
        case 6: return ChannelMap(front + [.frontCenter, .lowFrequency, .rearLeft, .rearRight])
        case 7: return ChannelMap(front + [.frontCenter, .lowFrequency, .rearCenter, .sideLeft, .sideRight])
        case 8:
            return ChannelMap(
                front + [.frontCenter, .lowFrequency, .rearLeft, .rearRight, .sideLeft, .sideRight])
        default: return ChannelMap((0..<Int(channelCount)).map { .auxiliary($0) })
        }
    }
}

extension ChannelMap: CustomStringConvertible {
    /// The positions' names, separated by commas.
    public var description: String { positions.map(\.rawValue).joined(separator: ",") }
}

extension ChannelMap: Codable {
    /// Encodes the positions.
    public func encode(to encoder: any Encoder) throws {
        try positions.encode(to: encoder)
    }

    /// Decodes the positions.
    public init(from decoder: any Decoder) throws {
        self.init(try [ChannelPosition](from: decoder))
    }
}

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

extension ChannelMap {
    /// Short names of the channels, or their numbers where the position is unknown: `L`, `R`, `LFE`, `7`. Empty for a
    /// single channel, which needs no name.
    public var labels: [String] {
        guard count > 1 else { return [""] }
        return positions.enumerated().map { index, position in
            Self.shortNames[position.rawValue] ?? "\(index + 1)"
        }
    }

    private static let shortNames = [
        "front-left": "L", "front-right": "R", "front-center": "FC", "lfe": "LFE", "rear-left": "RL",
        "rear-right": "RR", "rear-center": "RC", "side-left": "SL", "side-right": "SR", "front-left-of-center": "FLC",
        "front-right-of-center": "FRC", "top-center": "TC", "top-front-left": "TFL", "top-front-right": "TFR",
        "top-front-center": "TFC", "top-rear-left": "TRL", "top-rear-right": "TRR", "top-rear-center": "TRC",
    ]

    /// The channels' names in a recording of several inputs: the input's alone for a single channel, or else with the
    /// channel's label, such as `desktop L`.
    ///
    /// - Parameter name: The input's name, from outside: only what can be printed is kept, and a limited length.
    func names(ofTrack name: String) -> [String] {
        let printable = name.unicodeScalars.lazy.filter { PrintableText.isPrintable($0) }
        let name = String(String.UnicodeScalarView(printable.prefix(Self.longestTrackName)))
        return count == 1 ? [name] : labels.map { "\(name) \($0)" }
    }

    /// In characters. The names of all channels fit into the header of a WAV file.
    private static let longestTrackName = 64
}
