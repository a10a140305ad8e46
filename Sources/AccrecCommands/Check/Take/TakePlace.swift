/// Something in a take: a finding, a gap or a marker.
struct TakePlace: Sendable, Hashable, Codable {
    /// How it is shown.
    enum Class: String, Sendable, Hashable, Codable, CaseIterable {
        /// Findings, from bad to harmless.
        case failed, warned, noted
        /// A gap and a marker that the file carries.
        case gap, marker

        /// In a word.
        var word: String {
            switch self {
            case .failed: "fault"
            case .warned: "warning"
            case .noted: "note"
            case .gap: "gap"
            case .marker: "marker"
            }
        }
    }

    let type: Class
    /// The kind of a finding in a word or two, by which takes are filtered: `clipped`; nil for a marker.
    let kind: String?
    /// What it is, in words.
    let text: String
    /// Where it begins and ends, in seconds; nil for the whole take.
    let start: Double?
    let end: Double?
    /// The numbers of its channels, from 1; empty for all.
    let channels: [Int]

    init(
        _ type: Class, kind: String? = nil, _ text: String, start: Double? = nil, end: Double? = nil,
        channels: [Int] = []
    ) {
        (self.type, self.kind, self.text, self.channels) = (type, kind, text, channels)
        let start = start?.finite.map { max($0, 0) }
        self.start = start
        self.end = end?.finite.map { max($0, start ?? 0) }
    }

    /// The order of places at one time: the worst first.
    var rank: Int { Class.allCases.firstIndex(of: type) ?? 0 }

    /// The time in words: `0:04.0 to 0:05.5`.
    var time: String {
        guard let start else { return "whole take" }
        let from = TimeText.clock(start, decimals: 1)
        let to = TimeText.clock(end ?? start, decimals: 1)
        return from == to ? from : "\(from) to \(to)"
    }
}
