import CPulse

/// Which loudspeaker position each channel of a frame stands for, in PulseAudio's words.
public struct ChannelMap: Sendable, Hashable {
    /// One name a channel, in the order of the samples in a frame: `mono`, `front-left`, `aux3` …
    public let positions: [String]

    init(pulse map: pa_channel_map) {
        positions = withUnsafeBytes(of: map.map) { bytes in
            bytes.bindMemory(to: pa_channel_position_t.self).prefix(Int(map.channels)).map { position in
                String(cString: pa_channel_position_to_string(position))
            }
        }
    }

    /// The library's form of the map; nil where it does not know a name.
    var pulse: pa_channel_map? {
        var map = pa_channel_map()
        return pa_channel_map_parse(&map, positions.joined(separator: ",")) == nil ? nil : map
    }
}
