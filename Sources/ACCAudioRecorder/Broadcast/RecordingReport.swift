import FoundationEssentials

/// The result of a recording.
///
/// In JSON a report is what `accrec record --report` writes: an object with `ending` (`finished`, `limit`, `discarded` or
/// `failed`), `started_at`, `source`, `sample_rate`, `channels`, `frames`, `seconds`, `frames_lost`, `gaps`, `stream_gaps`,
/// `levels`, `clipped`, `non_finite`, `outputs`, and, if it failed, `failure` for people and `error` for programs.
public struct RecordingReport: Sendable, Hashable {
    /// Why the recording ended.
    public enum Ending: Sendable, Hashable {
        /// The user finished it.
        case finished
        /// The time limit was reached.
        case limitReached
        /// The source was silent for as long as ``SoundPolicy/silenceLimit`` says.
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
    public let sampleRate: Int
    /// Samples per frame of the recording.
    public let channelCount: Int
    /// Frames recorded, at the recording's rate, pauses excluded.
    public let frameCount: Int
    /// Missing frames, at the source's rate: overruns of this program, and (by the clock) frames dropped elsewhere,
    /// interruptions and the machine's sleep; but not the silence that a sound policy leaves out.
    public let framesLost: Int
    /// The gaps where they are missing, and the pauses that were left out. Of more than 4,096 losses, the last is the sum of
    /// all that follow, with the span in which they lie.
    public let gaps: [RecordingGap]
    /// Where one of the application's streams is missing before a frame, while others may be there. These frames are
    /// recorded, so they do not count as lost.
    public let streamGaps: [RecordingGap]
    /// The level of each channel over the whole recording.
    public let levels: [ChannelLevel]
    /// Samples of the source, in all channels, that were not finite: NaN was replaced by silence, infinity by full
    /// scale.
    public let nonFiniteCount: Int
    /// The result of each output.
    public let outputs: [OutputReport]

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
    ///   - levels: The level of each channel over the whole recording.
    ///   - nonFiniteCount: Samples of the source that were not finite.
    ///   - outputs: The result of each output.
    public init(
        ending: Ending = .finished, startDate: Date? = nil, source: AudioSource, sampleRate: Int, channelCount: Int,
        frameCount: Int,
        framesLost: Int = 0, gaps: [RecordingGap] = [], streamGaps: [RecordingGap] = [], levels: [ChannelLevel] = [],
        nonFiniteCount: Int = 0, outputs: [OutputReport] = []
    ) {
        self.ending = ending
        self.startDate = startDate
        self.source = source
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = frameCount
        self.framesLost = framesLost
        self.gaps = gaps
        self.streamGaps = streamGaps
        self.levels = levels
        self.nonFiniteCount = nonFiniteCount
        self.outputs = outputs
    }

    /// The length in seconds, pauses excluded.
    public var duration: TimeInterval { Double(frameCount) / Double(sampleRate) }

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
