/// When a recording follows the sound of its source: begins with it, ends after it, or leaves out the pauses in it.
///
/// The source sounds while the level of a window of 10 ms (RMS, as ``ChannelLevel/rmsDecibels``) is at least the opening
/// level, and then until it has been below the closing level for the hold time.
///
/// In JSON an activation is an object with `opening_level`, `closing_level`, `hold`, `pre_roll`, `channels`, `input`,
/// `level_above_noise`, `starts_recording`, `pauses`, `silence_limit` and `limit_awaits_sound`, with times in seconds; what is
/// missing has its default.
public struct SoundActivation: Sendable, Hashable {
    /// What a recording does with the pauses between sounds.
    @nonexhaustive
    public enum Pauses: String, Sendable, Hashable, CaseIterable, Codable {
        /// Records them.
        case keep
        /// Leaves them out; each is told as a ``RecordingGap`` with the cause `silence`.
        case join
        /// Leaves them out, and begins new files with each sound.
        case split
    }

    /// How the level of a window is computed from those of the recorded channels.
    @nonexhaustive
    public enum Channels: String, Sendable, Hashable, CaseIterable, Codable {
        /// The highest: a sound in one channel is enough.
        case any
        /// The mean power of all.
        case all
    }

    /// The longest audio that is kept from before a start.
    static let longestPreRoll = Duration.seconds(600)

    /// The level in dBFS at and above which a sound begins; from -120 to 0.
    public var openingLevel: Double
    /// The level in dBFS below which a sound ends, at most the opening level; nil, the default, for 6 dB less.
    public var closingLevel: Double?
    /// How long the level is below the closing level before the sound has ended; a second by default.
    public var hold: Duration
    /// The length of the audio before a sound that belongs to it; half a second by default, up to ten minutes. It is kept in
    /// memory.
    public var preRoll: Duration
    /// How the level is computed; `any` by default.
    public var channels: Channels
    /// The name of the input whose sound counts, as ``RecordingInput/name``, of several that are recorded as tracks; nil, the
    /// default, for all.
    public var input: String?
    /// How far the opening level is at least above the noise, in dB, and the closing level half as far; nil, the default,
    /// to ignore the noise. The level of the noise is that of the quietest audio so far; it rises by at most a quarter of
    /// a decibel in a second, so a sound that does not end becomes noise. Digital silence counts from half a second on: what
    /// follows it is a sound.
    public var levelAboveNoise: Double?
    /// Whether the recording waits for a sound with ``ACCAudioRecorder/ACCAudioRecorder/waitForSound()``; false by
    /// default.
    public var startsRecording: Bool
    /// What the recording does with pauses; `keep` by default.
    public var pauses: Pauses
    /// How long the source has been below the closing level when the recording ends by itself; nil, the default, for never.
    public var silenceLimit: Duration?
    /// Whether the silence limit counts only after the first sound of the recording; false by default.
    public var limitAwaitsSound: Bool

    /// Creates an activation.
    public init(
        openingLevel: Double, closingLevel: Double? = nil, hold: Duration = .seconds(1),
        preRoll: Duration = .milliseconds(500),
        channels: Channels = .any, input: String? = nil, levelAboveNoise: Double? = nil, startsRecording: Bool = false,
        pauses: Pauses = .keep, silenceLimit: Duration? = nil, limitAwaitsSound: Bool = false
    ) {
        self.openingLevel = openingLevel
        self.closingLevel = closingLevel
        self.hold = hold
        self.preRoll = preRoll
        self.channels = channels
        self.input = input
        self.levelAboveNoise = levelAboveNoise
        self.startsRecording = startsRecording
        self.pauses = pauses
        self.silenceLimit = silenceLimit
        self.limitAwaitsSound = limitAwaitsSound
    }

    /// Whether the frames of a recording depend on the sound.
    var isGate: Bool { pauses != .keep || silenceLimit != nil }

    func validate() throws(ACCAudioRecorderError) {
        guard (-120...0).contains(openingLevel) else {
            throw Self.refused("openingLevel", "from \(openingLevel) dBFS", remedy: "Choose a level from -120 to 0.")
        }
        if let closingLevel, !(-120...openingLevel).contains(closingLevel) {
            throw Self.refused(
                "closingLevel",
                "down to \(closingLevel) dBFS", remedy: "Choose a level from -120 to the opening level.")
        }
        if let levelAboveNoise, !(0...120).contains(levelAboveNoise) {
            throw Self.refused(
                "levelAboveNoise", "\(levelAboveNoise) dB above the noise", remedy: "Choose from 0 to 120 dB.")
        }
        guard hold >= .zero else {
            throw Self.refused("hold", "held for \(hold.seconds) s", remedy: "Choose 0 or more.")
        }
        guard (.zero...Self.longestPreRoll).contains(preRoll) else {
            throw Self.refused(
                "preRoll", "\(preRoll.seconds) s before a sound",
                remedy: "Choose from 0 to \(Int(Self.longestPreRoll.seconds)) s.")
        }
        if let silenceLimit, silenceLimit <= .zero {
            throw Self.refused(
                "silenceLimit", "until \(silenceLimit.seconds) s of silence", remedy: "Choose more than 0.")
        }
    }

    /// The refusal of one of its properties.
    private static func refused(_ setting: String, _ what: String, remedy: String) -> ACCAudioRecorderError {
        .refused("soundActivation.\(setting)", "cannot record by sound \(what)", remedy: remedy)
    }
}

extension SoundActivation: Codable {
    private enum CodingKeys: String, CodingKey {
        case hold, channels, input, pauses
        case openingLevel = "opening_level"
        case closingLevel = "closing_level"
        case preRoll = "pre_roll"
        case levelAboveNoise = "level_above_noise"
        case startsRecording = "starts_recording"
        case silenceLimit = "silence_limit"
        case limitAwaitsSound = "limit_awaits_sound"
    }

    /// Decodes what is there.
    ///
    /// - Throws: If it has no opening level.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(openingLevel: try container.decode(Double.self, forKey: .openingLevel))
        try container.decode(.closingLevel, into: &closingLevel)
        try container.decode(.hold, into: &hold)
        try container.decode(.preRoll, into: &preRoll)
        try container.decode(.channels, into: &channels)
        try container.decode(.input, into: &input)
        try container.decode(.levelAboveNoise, into: &levelAboveNoise)
        try container.decode(.startsRecording, into: &startsRecording)
        try container.decode(.pauses, into: &pauses)
        try container.decode(.silenceLimit, into: &silenceLimit)
        try container.decode(.limitAwaitsSound, into: &limitAwaitsSound)
    }
}
