import FoundationEssentials

/// The result of a recording. Its markers are told by ``RecordingEvent/marker(_:)``, and are in its files.
///
/// In JSON a report is what `accrec record --report` writes: an object with `ending` (`finished`, `limit`, `silence`,
/// `discarded` or `failed`), `started_at`, `source`, `sample_rate`, `channels`, `frames`, `seconds`, `frames_lost`, `gaps`, `stream_gaps`,
/// `mutes`, `levels`, `clipped`, `non_finite`, `findings`, `figures`, `times`, `outputs`, `inputs` where there are several, and, if it
/// failed, `failure` for people and `error` for programs.
public struct RecordingReport: Sendable, Hashable {
    /// Why the recording ended.
    @nonexhaustive
    public enum Ending: Sendable, Hashable {
        /// The user finished it.
        case finished
        /// The time limit was reached.
        case limit
        /// The source was silent for as long as ``SoundActivation/silenceLimit`` says.
        case silence
        /// The user discarded it; its files were removed, or its current ones.
        case discarded
        /// It failed. What was recorded is kept, unless that was nothing.
        case failed(ACCAudioRecorderError)
    }

    /// Why the recording ended.
    public let ending: Ending
    /// When the first frame was captured, by the wall clock, as is known at the end of the recording: to 2 ms, if it has
    /// lasted for three seconds; see ``AudioBufferData/hostTime``. Nil without a frame.
    public let startDate: Date?
    /// The source that was recorded.
    public let source: AudioSource
    /// The recording's sample rate in Hz.
    public let sampleRate: Double
    /// Samples per frame of the recording.
    public let channelCount: UInt32
    /// Frames recorded, at the recording's rate, pauses excluded.
    public let frameCount: Int
    /// Missing frames, at the source's rate: overruns of this program, and (by the clock) frames dropped elsewhere,
    /// interruptions and the machine's sleep; but not the silence that a sound activation leaves out.
    public let framesLost: Int
    /// The gaps where they are missing, and the pauses that were left out. Of more than 4,096 losses, or pauses, the last is the
    /// sum of all that follow, with their number and the span in which they lie.
    public let gaps: [RecordingGap]
    /// Where one of the application's streams, or one of several inputs, is missing before a frame, while others may be there.
    /// These frames are recorded, so they do not count as lost.
    public let streamGaps: [RecordingGap]
    /// Where the server had muted a source: at most the last 1,000 times.
    public let mutes: [RecordingMute]
    /// The level of each channel over the whole recording.
    public let levels: [ChannelLevel]
    /// Samples of the source, in all channels, that were not finite: NaN was replaced by silence, infinity by full
    /// scale.
    public let nonFiniteCount: Int
    /// What in the signals of microphones is probably not meant: at most 500 of each kind.
    public let findings: [SignalFinding]
    /// The loudness of the recording, and the levels of each channel; nil if it was discarded, or has no frame.
    public let figures: SignalFigures?
    /// When its frames were captured.
    public let times: RecordingTimes
    /// The result of each output, and of each file of one that was split. Of more than 1,024 files of an output, those between the
    /// first 512 and the last 512 are one report, with their number (``OutputReport/fileCount``) and without a path.
    public let outputs: [OutputReport]
    /// The inputs, in the order of ``ACCAudioRecorder/ACCAudioRecorder/Configuration/inputs``; empty for a single one.
    public internal(set) var inputs: [RecordedInput]

    /// Creates a report, for tests of code that receives reports.
    ///
    /// - Parameters:
    ///   - ending: Why the recording ended.
    ///   - startDate: When the first frame was captured.
    ///   - source: The source that was recorded.
    ///   - sampleRate: The recording's sample rate in Hz.
    ///   - channelCount: Samples per frame of the recording.
    ///   - frameCount: Frames recorded, at the recording's rate.
    ///   - framesLost: Missing frames, at the source's rate.
    ///   - gaps: The gaps where they are missing.
    ///   - streamGaps: Where one of the application's streams is missing.
    ///   - mutes: Where the server had muted a source.
    ///   - levels: The level of each channel over the whole recording.
    ///   - nonFiniteCount: Samples of the source that were not finite.
    ///   - findings: What in the signals is probably not meant.
    ///   - figures: The loudness of the recording.
    ///   - times: When its frames were captured.
    ///   - outputs: The result of each output.
    ///   - inputs: The inputs, where there are several.
    public init(
        ending: Ending = .finished, startDate: Date? = nil, source: AudioSource, sampleRate: Double,
        channelCount: UInt32,
        frameCount: Int,
        framesLost: Int = 0, gaps: [RecordingGap] = [], streamGaps: [RecordingGap] = [], mutes: [RecordingMute] = [],
        levels: [ChannelLevel] = [],
        nonFiniteCount: Int = 0, findings: [SignalFinding] = [], figures: SignalFigures? = nil,
        times: RecordingTimes = RecordingTimes(), outputs: [OutputReport] = [], inputs: [RecordedInput] = []
    ) {
        self.inputs = inputs
        self.ending = ending
        self.startDate = startDate
        self.source = source
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = frameCount
        self.framesLost = framesLost
        self.gaps = gaps
        self.streamGaps = streamGaps
        self.mutes = mutes
        self.levels = levels
        self.nonFiniteCount = nonFiniteCount
        (self.findings, self.figures, self.times) = (findings, figures, times)
        self.outputs = outputs
    }

    /// The length, pauses excluded, rounded down to a nanosecond.
    public var length: Duration { .frames(frameCount, at: sampleRate) }

    /// The errors in the order they happened: those of outputs, then that of the recording.
    public var failures: [ACCAudioRecorderError] {
        let failures = outputs.compactMap(\.failure)
        guard case .failed(let error) = ending, !failures.contains(error) else { return failures }
        return failures + [error]
    }

    /// Whether audio is missing: frames of the recording or of one of its outputs, or a stream of the application.
    public var hasLosses: Bool {
        framesLost > 0 || !streamGaps.isEmpty || outputs.contains { !$0.gaps.isEmpty }
    }

    /// Samples at full scale, in all channels.
    public var clippedCount: Int { levels.reduce(0) { $0 + $1.clippedCount } }
}

extension RecordingReport: Codable {
    private enum Key: String, CodingKey {
        case ending, failure, error, source, channels, frames, seconds, gaps, mutes, levels, clipped, findings, figures
        case times, outputs, inputs
        case startedAt = "started_at"
        case sampleRate = "sample_rate"
        case framesLost = "frames_lost"
        case streamGaps = "stream_gaps"
        case nonFinite = "non_finite"
    }

    private static let namedEndings: [(name: String, ending: Ending)] = [
        ("finished", .finished), ("limit", .limit), ("silence", .silence), ("discarded", .discarded),
    ]

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        if case .failed(let error) = ending {
            try container.encode("failed", forKey: .ending)
            try container.encode(JSONWording.text(of: error, for: encoder), forKey: .failure)
            try container.encode(error, forKey: .error)
        } else {
            try container.encode(Self.namedEndings.first { $0.ending == ending }?.name, forKey: .ending)
        }
        try container.encodeIfPresent(startDate?.textInJSON, forKey: .startedAt)
        try container.encode(source, forKey: .source)
        try container.encode(sampleRate, forKey: .sampleRate)
        try container.encode(channelCount, forKey: .channels)
        try container.encode(frameCount, forKey: .frames)
        try container.encode(length, forKey: .seconds)
        try container.encode(framesLost, forKey: .framesLost)
        try container.encode(gaps, forKey: .gaps)
        try container.encode(streamGaps, forKey: .streamGaps)
        try container.encode(mutes, forKey: .mutes)
        try container.encode(levels, forKey: .levels)
        try container.encode(clippedCount, forKey: .clipped)
        try container.encode(nonFiniteCount, forKey: .nonFinite)
        try container.encode(findings, forKey: .findings)
        try container.encodeIfPresent(figures, forKey: .figures)
        try container.encode(times, forKey: .times)
        try container.encode(outputs, forKey: .outputs)
        if !inputs.isEmpty { try container.encode(inputs, forKey: .inputs) }
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let error = try container.decodeIfPresent(ACCAudioRecorderError.self, forKey: .error)
        let endings = Self.namedEndings + (error.map { [("failed", .failed($0))] } ?? [])
        self.init(
            ending: try container.decode(forKey: .ending, from: endings) { $0.name }.ending,
            startDate: try container.decodeIfPresent(String.self, forKey: .startedAt).map(Date.init(textInJSON:)),
            source: try container.decode(AudioSource.self, forKey: .source),
            sampleRate: try container.decode(Double.self, forKey: .sampleRate),
            channelCount: try container.decode(UInt32.self, forKey: .channels),
            frameCount: try container.decode(Int.self, forKey: .frames),
            framesLost: try container.decode(Int.self, forKey: .framesLost),
            gaps: try container.decode([RecordingGap].self, forKey: .gaps),
            streamGaps: try container.decodeIfPresent([RecordingGap].self, forKey: .streamGaps) ?? [],
            mutes: try container.decodeIfPresent([RecordingMute].self, forKey: .mutes) ?? [],
            levels: try container.decode([ChannelLevel].self, forKey: .levels),
            nonFiniteCount: try container.decode(Int.self, forKey: .nonFinite),
            findings: try container.decodeIfPresent([SignalFinding].self, forKey: .findings) ?? [],
            figures: try container.decodeIfPresent(SignalFigures.self, forKey: .figures),
            times: try container.decodeIfPresent(RecordingTimes.self, forKey: .times) ?? RecordingTimes(),
            outputs: try container.decode([OutputReport].self, forKey: .outputs),
            inputs: try container.decodeIfPresent([RecordedInput].self, forKey: .inputs) ?? [])
    }
}
