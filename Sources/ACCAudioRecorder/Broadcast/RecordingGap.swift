import FoundationEssentials

/// A place in a recording where frames of the source are missing.
///
/// WAV files have a marker there, `gap 1.412 s: device unplugged`, and all files that can be written at any place have it
/// in the list of markers beside them.
///
/// In JSON a gap is an object with `frame`, `offset` in seconds, `frames_lost`, `seconds_lost`, `reason`, `is_filled`, and
/// `span` in seconds where that is not 0, `input` where one of several inputs lacks the frames, and `count` where it stands for
/// several.
public struct RecordingGap: Sendable, Hashable {
    /// Why frames are missing.
    @nonexhaustive
    public enum Cause: Sendable, Hashable {
        /// This program could not keep up.
        case overrun
        /// The server or the kernel dropped them; this was inferred from the clock.
        case dropped
        /// An output was written too slowly and its queue was full.
        case outputBehind
        /// The next file of an output could not be created.
        case noFile
        /// The machine was asleep.
        case sleep
        /// The source was silent, and the recording's sound activation leaves that out.
        case silence
        /// One of an application's streams was missing, while others may have gone on: see ``RecordingReport/streamGaps``.
        case streamMissing
        /// The recording was interrupted.
        case interruption(RecordingInterruption)
    }

    /// The frame of the recording before which frames are missing.
    public let position: Int
    /// Where that is in the recording. What one of several inputs lacks is silence in the recording, and ends here.
    public let offset: Duration
    /// In how much of the recording before that they may be missing; zero if the place is known. Of losses that follow one
    /// another only the sum is known, and the span in which they lie.
    public let span: Duration
    /// The number of missing frames, at the source's rate; computed from the clock where nothing counted them.
    public let framesLost: Int
    /// The length of the gap.
    public let length: Duration
    /// Why they are missing.
    public let cause: Cause
    /// Whether the gap is filled with silence.
    public let isFilled: Bool
    /// The input that lacks the frames, where a recording has several; nil for all of it. Its channels are silent there.
    public let input: String?
    /// The number of gaps: 1, or more for the last of a long list, which stands for all that followed.
    public let count: Int

    /// Creates a gap, for tests of code that receives events and reports.
    ///
    /// - Parameters:
    ///   - position: The frame of the recording before which frames are missing.
    ///   - offset: Where that is in the recording.
    ///   - span: In how much of the recording before that they may be missing.
    ///   - framesLost: The number of missing frames, at the source's rate.
    ///   - length: The length of the gap.
    ///   - cause: Why they are missing.
    ///   - isFilled: Whether the gap is filled with silence.
    ///   - input: The input that lacks the frames, where a recording has several.
    ///   - count: The number of gaps that it stands for.
    public init(
        position: Int, offset: Duration, span: Duration = .zero, framesLost: Int, length: Duration, cause: Cause,
        isFilled: Bool = false, input: String? = nil, count: Int = 1
    ) {
        (self.input, self.count) = (input, count)
        self.position = position
        self.offset = offset
        self.span = span
        self.framesLost = framesLost
        self.length = length
        self.cause = cause
        self.isFilled = isFilled
    }

    /// - Parameters:
    ///   - span: In how many frames of the recording before `position` they may be missing.
    ///   - sampleRate: The source's rate in Hz.
    ///   - recordedRate: The recording's rate in Hz; nil for the source's.
    init(
        position: Int, span: Int = 0, framesLost: Int, sampleRate: Double, recordedRate: Double? = nil,
        cause: Cause = .overrun,
        isFilled: Bool = false, input: String? = nil, count: Int = 1
    ) {
        (self.input, self.count) = (input, count)
        self.position = position
        offset = .frames(position, at: recordedRate ?? sampleRate)
        self.span = .frames(min(span, position), at: recordedRate ?? sampleRate)
        self.framesLost = framesLost
        length = .frames(framesLost, at: sampleRate)
        self.cause = cause
        self.isFilled = isFilled
    }
}

extension RecordingGap {
    /// The text of the marker that a file has at the gap.
    var label: String { GapLabel(seconds: length.seconds, isFilled: isFilled, cause: "\(cause)").text }

    /// Both gaps as one: the sum, and the span in which they lie. The cause is the first one's.
    func joined(with next: RecordingGap) -> RecordingGap {
        RecordingGap(
            position: next.position, offset: next.offset, span: next.offset - offset + span,
            framesLost: framesLost + next.framesLost, length: length + next.length, cause: cause,
            isFilled: isFilled && next.isFilled, input: input == next.input ? input : nil, count: count + next.count)
    }

    /// Whether a buffer of subscribers ends before it: not where one of several inputs lacks frames of buffers that go on.
    var endsBuffers: Bool { input == nil }

    /// Whether frames are missing that should be there: not if they were left out for their silence.
    public var isLoss: Bool { cause != .silence }
}

extension RecordingGap: Codable {
    private enum Key: String, CodingKey {
        case frame, offset, span, reason, input, count
        case framesLost = "frames_lost"
        case secondsLost = "seconds_lost"
        case isFilled = "is_filled"
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(position, forKey: .frame)
        try container.encode(offset, forKey: .offset)
        if span > .zero { try container.encode(span, forKey: .span) }
        try container.encode(framesLost, forKey: .framesLost)
        try container.encode(length, forKey: .secondsLost)
        try container.encode(cause.nameInJSON, forKey: .reason)
        try container.encode(isFilled, forKey: .isFilled)
        try container.encodeIfPresent(input, forKey: .input)
        if count > 1 { try container.encode(count, forKey: .count) }
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            position: try container.decode(Int.self, forKey: .frame),
            offset: try container.decode(Duration.self, forKey: .offset),
            span: try container.decodeIfPresent(Duration.self, forKey: .span) ?? .zero,
            framesLost: try container.decode(Int.self, forKey: .framesLost),
            length: try container.decode(Duration.self, forKey: .secondsLost),
            cause: try container.decode(forKey: .reason, from: Cause.all) { $0.nameInJSON },
            isFilled: try container.decode(Bool.self, forKey: .isFilled),
            input: try container.decodeIfPresent(String.self, forKey: .input),
            count: try container.decodeIfPresent(Int.self, forKey: .count) ?? 1)
    }
}

extension RecordingGap.Cause {
    fileprivate static let all =
        [Self.overrun, .dropped, .outputBehind, .noFile, .sleep, .silence, .streamMissing]
        + RecordingInterruption.allCases.map(Self.interruption)

    fileprivate var nameInJSON: String {
        switch self {
        case .overrun: "overrun"
        case .dropped: "dropped"
        case .outputBehind: "output_behind"
        case .noFile: "no_file"
        case .sleep: "sleep"
        case .silence: "silence"
        case .streamMissing: "stream_missing"
        case .interruption(let interruption): interruption.nameInJSON
        }
    }
}

extension RecordingGap.Cause: CustomStringConvertible {
    /// Human-readable.
    public var description: String {
        switch self {
        case .overrun: "the program could not keep up"
        case .dropped: "the server dropped audio"
        case .outputBehind: OutputReport.Loss.Shortage.tooSlow.description
        case .noFile: OutputReport.Loss.Shortage.noFile.description
        case .sleep: "the machine slept"
        case .silence: "silence left out"
        case .streamMissing: "one stream was missing"
        case .interruption(let interruption): interruption.description
        }
    }
}

extension OutputReport {
    /// The gaps of this output alone, which was written too slowly or lacked a file; usually empty.
    public var gaps: [RecordingGap] { losses.map { RecordingGap($0, sampleRate: sampleRate) } }

    /// The length, rounded down to a nanosecond.
    public var length: Duration { .frames(frameCount, at: sampleRate) }
}

extension RecordingGap {
    /// The gap of an output.
    init(_ loss: OutputReport.Loss, sampleRate: Double) {
        self.init(
            position: loss.position, span: loss.span, framesLost: loss.frameCount, sampleRate: sampleRate,
            cause: loss.cause == .noFile ? .noFile : .outputBehind, isFilled: loss.isFilled, count: loss.count)
    }
}

extension OutputReport: Codable {
    private enum Key: String, CodingKey {
        case channels, frames, seconds, bytes, files, alterations, gaps, failure, error
        case sampleRate = "sample_rate"
        case channelMap = "channel_map"
        case firstFrame = "first_frame"
        case isBitExact = "is_bit_exact"
        case processingSteps = "processing_steps"
    }

    /// Encodes everything, of the output what that encodes.
    public func encode(to encoder: any Encoder) throws {
        try output.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(sampleRate, forKey: .sampleRate)
        try container.encode(channelCount, forKey: .channels)
        try container.encode(channelMap, forKey: .channelMap)
        try container.encode(firstFrame, forKey: .firstFrame)
        try container.encode(frameCount, forKey: .frames)
        try container.encode(length, forKey: .seconds)
        try container.encode(byteCount, forKey: .bytes)
        if fileCount > 1 { try container.encode(fileCount, forKey: .files) }
        try container.encode(isBitExact, forKey: .isBitExact)
        try container.encode(processingSteps.map(\.description), forKey: .alterations)
        try container.encode(processingSteps, forKey: .processingSteps)
        try container.encode(gaps, forKey: .gaps)
        try container.encodeIfPresent(failure.map { JSONWording.text(of: $0, for: encoder) }, forKey: .failure)
        try container.encodeIfPresent(failure, forKey: .error)
    }

    /// Decodes what was encoded.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let gaps = try container.decode([RecordingGap].self, forKey: .gaps)
        let rate = try container.decode(Double.self, forKey: .sampleRate)
        self.init(
            output: try RecordingOutput(from: decoder),
            sampleRate: rate,
            channelMap: try container.decode(ChannelMap.self, forKey: .channelMap),
            firstFrame: try container.decode(Int.self, forKey: .firstFrame),
            frameCount: try container.decode(Int.self, forKey: .frames),
            losses: gaps.map {
                Loss(
                    position: $0.position, frameCount: $0.framesLost, isFilled: $0.isFilled,
                    cause: $0.cause == .noFile ? .noFile : .tooSlow,
                    span: Int(min(max(($0.span.seconds * rate).rounded(), 0), 0x1p61)),
                    count: $0.count)
            },
            byteCount: try container.decode(Int.self, forKey: .bytes),
            processingSteps: try container.decode([ProcessingStep].self, forKey: .processingSteps),
            failure: try container.decodeIfPresent(ACCAudioRecorderError.self, forKey: .error))
        fileCount = try container.decodeIfPresent(Int.self, forKey: .files) ?? 1
    }
}
