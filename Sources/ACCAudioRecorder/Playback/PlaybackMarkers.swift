/// The markers of a file that is played, and which one is next.
public struct PlaybackMarkers: Sendable {
    /// A marker, or a gap that a recorder has marked.
    public struct Marker: Sendable, Hashable {
        /// In seconds.
        public let position: Double
        /// Its text.
        public let label: String
    }

    /// In order.
    public let all: [Marker]

    /// How far behind a marker the way back leads to the one before it, in seconds: whoever goes back again and again must not
    /// be held up by what has played since.
    private static let grace = 2.0
    /// Half a sample at the highest rate: positions are rounded to frames.
    private static let tolerance = 0.5 / 384_000

    init(_ markers: [(seconds: Double, label: String)]) {
        all = markers.map { Marker(position: $0.seconds, label: $0.label) }.sorted { $0.position < $1.position }
    }

    /// The markers of a file.
    ///
    /// - Throws: `SoundFileFailure` if it cannot be read.
    public init(path: String) throws(SoundFileFailure) {
        let reader = try SoundFileReader(path: path)
        self.init(reader.markers(ofFileAt: path))
    }

    /// The marker so many on from a position, or the last one there is in that direction; nil if there is none. Before the
    /// first one is the beginning of the file.
    ///
    /// - Parameters:
    ///   - count: Negative for backwards.
    ///   - position: In seconds.
    func marker(_ count: Int, from position: Double) -> Marker? {
        guard count < 0 else {
            let later = all.filter { $0.position > position + Self.tolerance }
            return later.prefix(max(count, 1)).last
        }
        var earlier = all.filter { $0.position <= position + Self.tolerance }
        if let last = earlier.last?.position, position - last < Self.grace {
            earlier.removeAll { $0.position == last }
        }
        return earlier.count < -count ? Marker(position: 0, label: "") : earlier[earlier.count + count]
    }

    /// The marker with this label, or the only one whose label contains it, in any case.
    ///
    /// - Returns: The markers that match equally well.
    public func named(_ label: String) -> [Marker] {
        let exact = all.filter { $0.label == label }
        guard exact.isEmpty else { return Array(exact.prefix(1)) }
        return all.filter { $0.label.lowercased().contains(label.lowercased()) }
    }
}
