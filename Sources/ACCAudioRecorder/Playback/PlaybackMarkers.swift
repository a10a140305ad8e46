/// The markers of a file that is played, and which one is next.
public struct PlaybackMarkers: Sendable {
    /// In order.
    public let all: [FileMarker]

    /// How far behind a marker the way back leads to the one before it: whoever goes back again and again must not be held up
    /// by what has played since.
    private static let grace = Duration.seconds(2)
    /// Half a sample at the highest rate: positions are rounded to frames.
    private static let tolerance = Duration.nanoseconds(1_302)

    init(_ markers: [FileMarker]) {
        all = markers.sorted { $0.offset < $1.offset }
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
    ///   - position: In the file.
    func marker(_ count: Int, from position: Duration) -> FileMarker? {
        guard count < 0 else {
            let later = all.filter { $0.offset > position + Self.tolerance }
            return later.prefix(max(count, 1)).last
        }
        var earlier = all.filter { $0.offset <= position + Self.tolerance }
        if let last = earlier.last?.offset, position - last < Self.grace {
            earlier.removeAll { $0.offset == last }
        }
        return earlier.count < -count ? FileMarker(offset: .zero, label: "") : earlier[earlier.count + count]
    }

    /// The marker with this label, or the only one whose label contains it, in any case.
    ///
    /// - Returns: The markers that match equally well.
    public func named(_ label: String) -> [FileMarker] {
        let exact = all.filter { $0.label == label }
        guard exact.isEmpty else { return Array(exact.prefix(1)) }
        return all.filter { $0.label.lowercased().contains(label.lowercased()) }
    }
}
