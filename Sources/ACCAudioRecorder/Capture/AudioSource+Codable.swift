extension AudioSource: Codable {
    private enum Key: String, CodingKey {
        case index, name, description, kind, port, state, volume
        case isDefault = "is_default"
        case isMonitor = "is_monitor"
        case isFilter = "is_filter"
        case isMuted = "is_muted"
        case isAvailable = "is_available"
        case channelMap = "channel_map"
    }

    /// Encodes what a program can use.
    public func encode(to encoder: any Encoder) throws {
        try sampleSpec.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(id, forKey: .index)
        try container.encode(name, forKey: .name)
        try container.encode(description, forKey: .description)
        try container.encode(kind, forKey: .kind)
        try container.encodeIfPresent(port, forKey: .port)
        try container.encode(state, forKey: .state)
        try container.encode(isDefault, forKey: .isDefault)
        try container.encode(isMonitor, forKey: .isMonitor)
        try container.encode(isFilter, forKey: .isFilter)
        try container.encode(isMuted, forKey: .isMuted)
        try container.encode(isAvailable, forKey: .isAvailable)
        try container.encode(volume, forKey: .volume)
        try container.encode(channelMap, forKey: .channelMap)
    }

    /// Decodes what was encoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try container.decode(UInt32.self, forKey: .index),
            name: try container.decode(String.self, forKey: .name),
            description: try container.decode(String.self, forKey: .description),
            sampleSpec: try SampleSpec(from: decoder),
            channelMap: try container.decode(ChannelMap.self, forKey: .channelMap),
            isDefault: try container.decode(Bool.self, forKey: .isDefault),
            kind: try container.decode(SourceKind.self, forKey: .kind),
            port: try container.decodeIfPresent(String.self, forKey: .port),
            isAvailable: try container.decode(Bool.self, forKey: .isAvailable),
            isFilter: try container.decode(Bool.self, forKey: .isFilter),
            state: try container.decode(SourceState.self, forKey: .state),
            isMuted: try container.decode(Bool.self, forKey: .isMuted),
            volume: try container.decode(SourceVolume.self, forKey: .volume))
    }
}
