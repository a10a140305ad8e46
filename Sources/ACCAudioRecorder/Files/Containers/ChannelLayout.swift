/// The order in which a file holds the recording's channels, and how it states their loudspeakers.
struct ChannelLayout: Hashable {
    /// How a reader of the file knows the positions.
    enum Marking: Hashable {
        /// The container or the channel count implies them.
        case implied
        /// The file has a bit for each position, in channel order. Channels beyond the number of bits have no position.
        case mask(UInt32)
        /// The file names the position of each channel, in any order.
        case named
        /// The reader cannot know them.
        case unknown
    }

    /// The position of each sample in a frame of the file.
    let map: ChannelMap
    /// For each channel of the file, its index in the recording; nil if the order is the recording's.
    let order: [Int]?
    let marking: Marking

    /// - Parameters:
    ///   - recorded: The channels in the recording's order.
    ///   - keepsOrder: Whether the file must hold them in exactly this order.
    init(of recorded: ChannelMap, in container: Container, encoding: SampleEncoding, keepsOrder: Bool = false) {
        let (order, marking) = Self.form(of: recorded, in: container, encoding: encoding)
        let isReordered = order != Array(recorded.positions.indices)
        guard isReordered, keepsOrder || marking == .unknown else {
            self.order = isReordered ? order : nil
            self.marking = marking
            map = ChannelMap(order.map { recorded.positions[$0] })
            return
        }
        self.order = nil
        map = recorded
        self.marking = container.traits.channelOrder.namesPositions ? .named : .unknown
    }

    /// Whether players send channels to the wrong loudspeakers. Files of one or two channels play as mono and stereo,
    /// as intended.
    var isMisplaced: Bool { marking == .unknown && map.count > 2 }

    /// The channel order and marking in a container; the recording's order if the marking is unknown.
    private static func form(
        of recorded: ChannelMap, in container: Container, encoding: SampleEncoding
    ) -> (order: [Int], marking: Marking) {
        let own = Array(recorded.positions.indices)
        let channelOrder = container.traits.channelOrder
        if channelOrder == .recorded { return (own, .implied) }
        let implied = channelOrder.impliedOrder(of: recorded, encoding: encoding)
        if let order = recorded.indices(of: implied) { return (order, .implied) }
        if channelOrder.hasMask(with: encoding), recorded.channelCount > 2, let (order, mask) = recorded.maskOrder {
            return (order, .mask(mask))
        }
        if channelOrder.namesPositions {
            guard let (order, mask) = recorded.maskOrder, mask.nonzeroBitCount == order.count else {
                return (own, .named)
            }
            return (order, .mask(mask))
        }
        return (own, .unknown)
    }
}

extension ContainerTraits.ChannelOrder {
    /// Whether the file can name the position of each channel, in any order.
    fileprivate var namesPositions: Bool { if case .coreAudio = self { true } else { false } }

    /// Whether the format chunk can have a channel mask.
    fileprivate func hasMask(with encoding: SampleEncoding) -> Bool {
        self == .mask || self == .maskOfIntegers && encoding.integerBits != nil
    }

    /// The order of the map's number of channels that needs no marking; empty if there is none.
    fileprivate func impliedOrder(of map: ChannelMap, encoding: SampleEncoding) -> [ChannelPosition] {
        let count = map.channelCount
        if map.positions == [.frontCenter] { return map.positions }
        let standard = ChannelMap.standard(channelCount: count).positions
        if count <= 2 { return standard }
        switch self {
        case .vorbis: return count <= 8 ? ChannelMap.vorbis(channelCount: count).positions : []
        case .standard: return count <= 8 ? standard : []
        case .maskOfIntegers where !hasMask(with: encoding): return count <= 8 ? standard : []
        case .recorded, .mask, .maskOfIntegers, .coreAudio, .stereo: return []
        }
    }
}

extension ChannelMap {
    /// The map of Vorbis and Opus streams with a given channel count (Vorbis I specification, 4.3.9); that of other files
    /// beyond eight channels.
    static func vorbis(channelCount: UInt32) -> ChannelMap {
        let left: [ChannelPosition] = [.frontLeft, .frontCenter, .frontRight]
        switch channelCount {
        case 3: return ChannelMap(left)
        case 5: return ChannelMap(left + [.rearLeft, .rearRight])
        case 6: return ChannelMap(left + [.rearLeft, .rearRight, .lowFrequency])
        case 7: return ChannelMap(left + [.sideLeft, .sideRight, .rearCenter, .lowFrequency])
        case 8: return ChannelMap(left + [.sideLeft, .sideRight, .rearLeft, .rearRight, .lowFrequency])
        default: return .standard(channelCount: channelCount)
        }
    }

    /// The indices of these positions in the map, which must have exactly these. A single pair of surround channels may
    /// be called rear or side.
    fileprivate func indices(of wanted: [ChannelPosition]) -> [Int]? {
        guard wanted.count == channelCount, channelCount > 0 else { return nil }
        let hasOnePair = !positions.contains(.rearLeft) && channelCount < 7
        let other: [ChannelPosition: ChannelPosition] = [.rearLeft: .sideLeft, .rearRight: .sideRight]
        let indices = wanted.compactMap { position in
            positions.firstIndex(of: position) ?? (hasOnePair ? other[position].flatMap(positions.firstIndex) : nil)
        }
        return Set(indices).count == channelCount ? indices : nil
    }

    /// The channels in the order of a channel mask, and the mask; channels without a bit come last. Nil if two have the
    /// same bit.
    fileprivate var maskOrder: (order: [Int], mask: UInt32)? {
        let bits = positions.map(\.maskBit)
        let placed = bits.compactMap(\.self)
        guard Set(placed).count == placed.count else { return nil }
        let order = bits.indices.sorted { (bits[$0] ?? .max, $0) < (bits[$1] ?? .max, $1) }
        return (order, placed.reduce(0) { $0 | 1 << UInt32($1) })
    }
}

extension ChannelPosition {
    /// The positions that have a bit in a channel mask, in the order of the bits: those of WAVE_FORMAT_EXTENSIBLE
    /// (Microsoft, "Multiple channel audio data and WAVE files"), which Core Audio uses too.
    private static let maskOrder = [
        "front-left", "front-right", "front-center", "lfe", "rear-left", "rear-right", "front-left-of-center",
        "front-right-of-center", "rear-center", "side-left", "side-right", "top-center", "top-front-left",
        "top-front-center", "top-front-right", "top-rear-left", "top-rear-center", "top-rear-right",
    ]

    /// The number of its bit in a channel mask; nil if it has none.
    var maskBit: Int? { Self.maskOrder.firstIndex(of: rawValue) }
}

extension ChannelLayout {
    /// The content of a `chan` (CAF) or `CHAN` (AIFF) chunk: Core Audio's `AudioChannelLayout`, big-endian. Nil if the file
    /// needs none.
    var coreAudioContent: [UInt8]? {
        switch marking {
        case .implied, .unknown: nil
        case .mask(let mask): Self.bigEndian([0x10000, mask, 0])
        case .named:
            // For each channel a label, no flags and no coordinates.
            Self.bigEndian([0, 0, UInt32(map.count)] + map.positions.flatMap { [Self.label($0), 0, 0, 0, 0] })
        }
    }

    /// Core Audio's number for a position (`kAudioChannelLabel_Left` …).
    private static func label(_ position: ChannelPosition) -> UInt32 {
        if let bit = position.maskBit { return UInt32(bit) + 1 }
        // Channels without a position have discrete labels with their number.
        if position.isAuxiliary, let number = UInt16(position.rawValue.dropFirst(3)) { return 1 << 16 | UInt32(number) }
        return position == .mono ? 42 : .max
    }

    private static func bigEndian(_ numbers: [UInt32]) -> [UInt8] {
        numbers.flatMap { ByteOrder.big.bytes(UInt64($0), count: 4) }
    }
}
