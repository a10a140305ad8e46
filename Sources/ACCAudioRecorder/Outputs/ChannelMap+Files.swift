import CSndFile

/// How the positions of channels are written to files.
extension ChannelMap {
    /// The positions that a WAV file's channel mask has a bit for, in the order of the bits, and libsndfile's numbers
    /// for them.
    private static let maskOrder: [(position: String, number: Int)] = [
        ("front-left", SF_CHANNEL_MAP_LEFT), ("front-right", SF_CHANNEL_MAP_RIGHT),
        ("front-center", SF_CHANNEL_MAP_CENTER), ("lfe", SF_CHANNEL_MAP_LFE),
        ("rear-left", SF_CHANNEL_MAP_REAR_LEFT), ("rear-right", SF_CHANNEL_MAP_REAR_RIGHT),
        ("front-left-of-center", SF_CHANNEL_MAP_FRONT_LEFT_OF_CENTER),
        ("front-right-of-center", SF_CHANNEL_MAP_FRONT_RIGHT_OF_CENTER),
        ("rear-center", SF_CHANNEL_MAP_REAR_CENTER), ("side-left", SF_CHANNEL_MAP_SIDE_LEFT),
        ("side-right", SF_CHANNEL_MAP_SIDE_RIGHT), ("top-center", SF_CHANNEL_MAP_TOP_CENTER),
        ("top-front-left", SF_CHANNEL_MAP_TOP_FRONT_LEFT), ("top-front-center", SF_CHANNEL_MAP_TOP_FRONT_CENTER),
        ("top-front-right", SF_CHANNEL_MAP_TOP_FRONT_RIGHT), ("top-rear-left", SF_CHANNEL_MAP_TOP_REAR_LEFT),
        ("top-rear-center", SF_CHANNEL_MAP_TOP_REAR_CENTER), ("top-rear-right", SF_CHANNEL_MAP_TOP_REAR_RIGHT),
    ]

    /// libsndfile's numbers for the positions; nil where a channel mask cannot say them: one has no bit, or they are in
    /// another order.
    var maskNumbers: [Int32]? {
        let bits = positions.map { position in Self.maskOrder.firstIndex { $0.position == position.rawValue } }
        let known = bits.compactMap(\.self)
        guard known.count == bits.count, zip(known, known.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
        return known.map { Int32(Self.maskOrder[$0].number) }
    }

    /// Whether every reader takes the channels for what they are without being told.
    var isStandard: Bool { self == .standard(channelCount: channelCount) || positions == [.frontCenter] }
}
