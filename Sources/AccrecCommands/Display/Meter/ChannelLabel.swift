import ACCAudioRecorder

extension ChannelMap {
    /// Short names of the channels, or their numbers where the position is unknown: `L`, `R`, `LFE`, `7`. Empty for a
    /// single channel, which needs no name.
    var labels: [String] {
        guard channelCount > 1 else { return [""] }
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
}
