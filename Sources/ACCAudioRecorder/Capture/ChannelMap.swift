import CPulse

/// Which loudspeaker position each channel of a frame stands for.
public struct ChannelMap: Sendable, Hashable {
    /// One element a channel, in the order of the samples in a frame.
    public let positions: [ChannelPosition]

    /// How many channels there are.
    public var channelCount: Int { positions.count }

    /// A map of the given positions.
    public init(_ positions: [ChannelPosition]) {
        self.positions = positions
    }

    /// A map in PulseAudio's words: names joined by commas (`front-left,front-right,lfe`), or `mono`, `stereo`,
    /// `surround-21`, `surround-40`, `surround-41`, `surround-50`, `surround-51`, `surround-71`.
    ///
    /// Nil for a name that PulseAudio does not know.
    public init?(names: String) {
        var map = pa_channel_map()
        guard pa_channel_map_parse(&map, names) != nil else { return nil }
        self.init(pulse: map)
    }

    /// The map that files of so many channels have where nothing else is said, up to 7.1 (RFC 9639, 9.1.3; the same
    /// order as in WAV files). Beyond eight channels, and for none, positions are unknown: `aux0`, `aux1` …
    public static func standard(channelCount: Int) -> ChannelMap {
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
        default: return ChannelMap((0..<channelCount).map { .auxiliary($0) })
        }
    }

    init(pulse map: pa_channel_map) {
        positions = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels))
                .map { ChannelPosition(pulse: $0) }
        }
    }

    /// The library's form of the map; nil where it does not know a name, or there are too many.
    var pulse: pa_channel_map? {
        var map = pa_channel_map()
        return pa_channel_map_parse(&map, description) == nil ? nil : map
    }
}

extension ChannelMap: CustomStringConvertible {
    /// The positions' names, joined by commas.
    public var description: String { positions.map(\.rawValue).joined(separator: ",") }
}
