extension ChannelMap {
    /// Short names of the channels, or their numbers where the position is unknown: `L`, `R`, `LFE`, `7`. Empty for a
    /// single channel, which needs no name.
    package var labels: [String] {
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

    /// The channels' names in a recording of several inputs: the input's alone for a single channel, or else with the
    /// channel's label, such as `desktop L`.
    ///
    /// - Parameter name: The input's name, from outside: only what can be printed is kept, and a limited length.
    package func names(ofTrack name: String) -> [String] {
        let printable = name.unicodeScalars.lazy.filter { PrintableText.isPrintable($0) }
        let name = String(String.UnicodeScalarView(printable.prefix(Self.longestTrackName)))
        return channelCount == 1 ? [name] : labels.map { "\(name) \($0)" }
    }

    /// In characters. The names of all channels fit into the header of a WAV file.
    private static let longestTrackName = 64
}
