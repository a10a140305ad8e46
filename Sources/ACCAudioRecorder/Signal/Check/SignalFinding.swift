/// Something in a signal that is probably not meant: what it is, where it is, and how much of it.
///
/// In JSON a finding is an object with `kind`, `channels`, `from` and `to` in frames, `ongoing`, `count` and `value`.
public struct SignalFinding: Sendable, Hashable, Codable {
    /// What was found.
    @nonexhaustive
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Runs of samples at full scale. The value is the number of samples in them.
        case clipped
        /// Runs of samples at the highest level that the signal reaches, below or above full scale: it was clipped before its
        /// gain was changed. The value is that level in dBFS.
        case flattened
        /// Samples that stay the same for half a millisecond up to three seconds, with sound right before and after: audio that
        /// was lost. The value is the number of frames.
        case dropout
        /// A stretch that occurs twice in a row, as a buffer that was delivered twice. The value is the number of frames.
        case repetition = "repeated"
        /// A step between two samples that the signal around it does not explain: audio was left out there. The value is its
        /// height in dBFS.
        case jump
        /// Digital silence of at least three seconds after sound. The value is its length in seconds so far.
        case silence = "silent"
        /// A channel without any sound from the beginning on. The value is the length in seconds so far.
        case dead
        /// Sound that never reaches -40 dBFS. The value is the peak in dBFS.
        case quiet
        /// A stereo pair of which one channel, the one named, is 30 dB below the other or more. The value is the distance in dB.
        case oneSided = "one_sided"
        /// The two channels of a pair that are the same, but perhaps for their level; or any that are copies. The value is their
        /// correlation.
        case identical
        /// Two channels of which one is the other with the opposite polarity, at least for the most part. The value is their
        /// correlation, from -1 to -0.7.
        case inverted
        /// A constant added to the samples. The value is its size in dBFS.
        case offset = "dc_offset"
        /// Hum of the mains. The value is its frequency in hertz, 50 or 60; `level` has its level.
        case hum
        /// Nothing above a frequency far below half the sample rate, as of a telephone or a Bluetooth headset. The value is that
        /// frequency in hertz.
        case narrowBand = "narrow_band"
        /// Samples that are no numbers or infinite. The value is how many there are.
        case invalid
    }

    /// What was found.
    public let kind: Kind
    /// The numbers of the channels, from 1, in ascending order.
    public internal(set) var channels: [Int]
    /// The frames where it is; those of the whole signal if it has no place.
    public internal(set) var frames: Range<Int>
    /// Whether it still went on when it was given. Given again, with the same kind and beginning, when it has ended.
    public internal(set) var isOngoing: Bool
    /// How often it occurs in the frames, at least 1.
    public internal(set) var count: Int
    /// Described with each kind; finite.
    public internal(set) var value: Double
    /// The level of a hum in dBFS, where a sine of full scale has 0; nil for any other kind.
    public internal(set) var level: Double?

    /// Creates a finding, for tests of code that receives some.
    public init(
        _ kind: Kind, channels: [Int], frames: Range<Int>, isOngoing: Bool = false, count: Int = 1, value: Double,
        level: Double? = nil
    ) {
        self.kind = kind
        self.channels = channels
        self.frames = frames
        self.isOngoing = isOngoing
        self.count = count
        self.value = value
        self.level = level
    }

    private enum Key: String, CodingKey {
        case kind, channels, from, to, ongoing, count, value, level
    }

    /// Encodes everything; `level` only if there is one.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, forKey: .kind)
        try container.encode(channels, forKey: .channels)
        try container.encode(frames.lowerBound, forKey: .from)
        try container.encode(frames.upperBound, forKey: .to)
        try container.encode(isOngoing, forKey: .ongoing)
        try container.encode(count, forKey: .count)
        try container.encode(value, forKey: .value)
        try container.encodeIfPresent(level, forKey: .level)
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        kind = try container.decode(Kind.self, forKey: .kind)
        channels = try container.decode([Int].self, forKey: .channels)
        let from = try container.decode(Int.self, forKey: .from)
        frames = from..<max(try container.decode(Int.self, forKey: .to), from)
        isOngoing = try container.decode(Bool.self, forKey: .ongoing)
        count = try container.decode(Int.self, forKey: .count)
        value = try container.decode(Double.self, forKey: .value)
        level = try container.decodeIfPresent(Double.self, forKey: .level)
    }
}

extension SignalFinding.Kind {
    /// Whether findings of this kind lie at one place, rather than being true of the whole signal.
    public var hasPlace: Bool {
        switch self {
        case .clipped, .dropout, .repetition, .jump, .silence, .invalid: true
        case .flattened, .dead, .quiet, .oneSided, .identical, .inverted, .offset, .hum, .narrowBand: false
        }
    }
}

extension SignalFinding: CustomStringConvertible {
    /// What it is, in a few words without its place: `3 dropouts on channel 2`.
    public var description: String {
        switch kind {
        case .clipped: "\(Int(value)) clipped samples" + place
        case .flattened: "clipped at \(Self.decimal(value)) dBFS before its gain was changed" + place
        case .dropout: counted("dropout", "dropouts") + ", \(Int(value)) frames" + place
        case .repetition: counted("repeated block", "repeated blocks") + ", \(Int(value)) frames" + place
        case .jump: counted("jump", "jumps") + ", \(Self.decimal(value)) dBFS" + place
        case .silence: "silent" + place
        case .dead: "no sound at all" + place
        case .quiet: "too quiet: the peak is \(Self.decimal(value)) dBFS"
        case .oneSided: "one-sided: channel \(list) is \(Self.decimal(value)) dB below the other one of its pair"
        case .identical: "channels \(list) are the same"
        case .inverted: "channels \(list) have opposite polarity (correlation \(Self.decimal(value, places: 2)))"
        case .offset: "DC offset of \(Self.decimal(value)) dBFS" + place
        case .hum: "hum of \(Int(value)) Hz" + (level.map { " at \(Self.decimal($0)) dBFS" } ?? "") + place
        case .narrowBand:
            "nothing above \(Self.decimal(value / 1_000)) kHz: telephone quality, probably a Bluetooth headset" + place
        case .invalid: "\(Int(value)) samples are not finite" + place
        }
    }

    private var list: String { Self.list(channels) }

    private var place: String {
        channels.isEmpty ? "" : " on channel\(channels.count == 1 ? "" : "s") \(Self.list(channels))"
    }

    private func counted(_ one: String, _ many: String) -> String { "\(count) \(count == 1 ? one : many)" }

    /// `1`, `1 and 2`, `1, 2 and 3`.
    package static func list(_ channels: [Int]) -> String {
        let names = channels.map { "\($0)" }
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// With one digit behind the point, or two.
    static func decimal(_ value: Double, places: Int = 1) -> String {
        let unit = places == 1 ? 10 : 100
        let count = Int((min(max(value, -1e9), 1e9) * Double(unit)).rounded())
        let digits = String(abs(count) % unit)
        let padded = String(repeating: "0", count: places - digits.utf8.count) + digits
        return (count < 0 ? "-" : "") + "\(abs(count) / unit).\(padded)"
    }
}

/// The findings that nobody has taken yet. Bounded: of each kind so many are kept, the others only counted.
struct FindingList {
    /// As many of each kind as somebody may look at.
    static let mostOfAKind = 500

    private(set) var findings: [SignalFinding] = []
    private var counts = [Int](repeating: 0, count: SignalFinding.Kind.allCases.count)
    /// How many were found and not kept.
    private(set) var omittedCount = 0

    init() {
        findings.reserveCapacity(16)
    }

    mutating func add(_ finding: SignalFinding) {
        // What goes on is given again.
        let index = SignalFinding.Kind.allCases.firstIndex(of: finding.kind)!
        guard counts[index] < Self.mostOfAKind else {
            if !finding.isOngoing { omittedCount += 1 }
            return
        }
        if !finding.isOngoing { counts[index] += 1 }
        findings.append(finding)
    }

    /// Removes and returns what there is.
    mutating func take() -> [SignalFinding] {
        guard !findings.isEmpty else { return [] }
        defer { findings.removeAll(keepingCapacity: true) }
        return findings
    }
}

/// A set of channels, numbered from 0.
struct ChannelSet {
    private(set) var bits: UInt64 = 0

    mutating func insert(_ channel: Int) { bits |= 1 << UInt64(channel) }
    /// The numbers from 1.
    var numbers: [Int] { (0..<64).filter { bits & 1 << UInt64($0) != 0 }.map { $0 + 1 } }
    var isEmpty: Bool { bits == 0 }
}
