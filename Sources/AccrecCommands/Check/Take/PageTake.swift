/// One recording as the page of `accrec check --html` and its picture show it: what was found, and the curves.
///
/// All strings may come from files. Numbers that are not finite become nil or 0, because JSON has none.
struct PageTake: Sendable, Hashable, Codable {
    /// The verdict on a take, from good to bad.
    enum Verdict: String, Sendable, Hashable, Codable, CaseIterable {
        case ok, warned, failed

        /// The verdict in a word.
        var word: String {
            switch self {
            case .ok: "good"
            case .warned: "warning"
            case .failed: "failed"
            }
        }
    }

    /// A measured value, in words: `Noise floor`, `-72.1 dBFS`.
    struct Fact: Sendable, Hashable, Codable {
        let name: String
        let text: String
    }

    /// The file's name, and the folder that it is in, as they are shown.
    let name: String
    let folder: String
    /// The file relative to the page as a URL (`PageAddress`); nil if it cannot be played from there.
    private(set) var address: String?
    /// The short name of the container, `WAV`, and its media type, by which a browser says whether it may play it.
    let container: String
    let mediaType: String?
    /// Container, encoding, rate and channels, in words.
    let format: String
    /// The length in seconds; 0 if unknown.
    let seconds: Double
    let verdict: Verdict
    /// The integrated loudness in LUFS, and the true peak in dBTP; nil if unknown.
    let loudness: Double?
    let truePeak: Double?
    let facts: [Fact]
    /// What was found, and the gaps and markers that the file carries, in the order of their time.
    let places: [TakePlace]
    /// How many more there are.
    let omittedPlaces: Int
    /// The curves; nil if the file could not be read.
    let curves: TakeCurves?

    /// - Parameters:
    ///   - mostPlaces: How many places are kept: of too many, those that come first.
    ///   - omittedBefore: How many places there are besides these.
    init(
        name: String, folder: String, address: String?, container: String, mediaType: String? = nil, format: String,
        seconds: Double, verdict: Verdict, loudness: Double?, truePeak: Double?, facts: [Fact], places: [TakePlace],
        mostPlaces: Int, omittedBefore: Int = 0, curves: TakeCurves?
    ) {
        (self.name, self.folder, self.address) = (name, folder, address)
        (self.container, self.mediaType, self.format) = (container, mediaType, format)
        self.seconds = seconds.isFinite ? min(max(seconds, 0), Self.longest) : 0
        self.verdict = verdict
        self.loudness = loudness?.finite
        self.truePeak = truePeak?.finite
        self.facts = facts
        let ordered = places.sorted { ($0.start ?? -1, $0.rank) < ($1.start ?? -1, $1.rank) }
        self.places = Array(ordered.prefix(mostPlaces))
        omittedPlaces = max(places.count - mostPlaces, 0) + omittedBefore
        self.curves = curves
    }

    /// The take with this address.
    func at(_ address: String?) -> PageTake {
        var take = self
        take.address = address
        return take
    }

    /// In seconds: a damaged file may state any length.
    private static let longest = 1e9

    /// The kinds of findings and gaps, each once, in alphabetical order.
    var kinds: [String] { Set(places.compactMap(\.kind)).sorted() }
}

extension Double {
    /// Nil for infinity, and for what is no number.
    var finite: Double? { isFinite ? self : nil }
}

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
