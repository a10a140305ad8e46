import FoundationEssentials

/// An event of a recording. Events arrive in order; the newest thousand are kept for a subscriber that does not read.
///
/// In JSON an event is a line that `accrec record --events` writes, without what only that command knows: an object with
/// `event`, its name, `frame` if it has one, and further keys, which the manual page of that command lists.
@nonexhaustive
public enum RecordingEvent: Sendable, Hashable {
    /// Capture began from this source, to this format.
    case opened(AudioSource, format: RecordingFormat)
    /// An output began a file at this path, and the report is that of the file before, which is complete; nil for the first
    /// file, and for one after a pause that was left out.
    case fileOpened(path: String, after: OutputReport? = nil)
    /// The first frame arrived; it was captured at this time, in CLOCK_MONOTONIC nanoseconds, as far as that is known
    /// already: see ``AudioBufferData/hostTime``.
    case started(hostTime: UInt64)
    /// The recording was paused after this many frames.
    case paused(frame: Int)
    /// The recording continues, perhaps with a new format of the source.
    case resumed(AudioSource)
    /// The recording was interrupted. It continues when it can: `resumed` follows, or the end.
    case interrupted(RecordingInterruption)
    /// The device is gone and the recording continues with another source; `resumed` follows.
    case fellBack(from: AudioSource, to: AudioSource)
    /// The device is gone and there is no other source to switch to, or a source that is there cannot be opened; the recording
    /// waits.
    case switchFailed(ACCAudioRecorderError)
    /// The recording failed.
    case brokeOff(ACCAudioRecorderError)
    /// The device of the recording's source is gone.
    case deviceLost(AudioSource)
    /// The device is back, under the same name. `resumed` follows once it delivers again, and then the gap, with the next frame.
    case deviceReturned(AudioSource)
    /// The source now uses another port, such as another jack of the same sound card.
    case portChanged(AudioSource)
    /// The server has muted the source, the sink whose monitor it is, or the recording's stream.
    case muted(AudioSource)
    /// The server does not mute the source any more.
    case unmuted(AudioSource)
    /// Frames were lost.
    case gap(RecordingGap)
    /// A marker was set.
    case marker(RecordingMarker)
    /// An output ended before the recording, because writing to it failed. It keeps what was written; the other outputs
    /// continue.
    case outputEnded(RecordingOutput, error: ACCAudioRecorderError)
    /// One output lacks frames, because it was written too slowly or its next file could not be created; the gap's position
    /// is a frame of that output.
    case outputGap(RecordingOutput, gap: RecordingGap)
    /// An output's file is complete, and the next one begins with the next sound, by the recording's ``SoundActivation``.
    case fileClosed(OutputReport)
    /// A sound begins after silence that was left out. The recording has this many frames before it.
    case soundBegan(frame: Int)
    /// A sound has ended, and silence is left out from here on. The recording has this many frames so far.
    case soundEnded(frame: Int)
    /// A complete file of the recording, or of an earlier one, was removed, because it exceeded a bound of
    /// ``RetentionPolicy``.
    case fileRemoved(path: String, bound: RetentionPolicy.Bound)
    /// Something in the signal of a microphone is probably not meant; told again, with the same kind, when it has ended.
    case signal(SignalFinding)
    /// Something is probably wrong.
    case warning(RecordingWarning)
    /// The time limit was reached.
    case limit
    /// The recording has ended; the last event.
    case finished(RecordingReport)
}

/// What a recording delivers, with everything decided that its configuration left to the mode or to the source.
///
/// In JSON it is an object with `sample_rate`, `channel_map`, `buffer_size`, `resampler_quality`, `outputs` and, where there are
/// several, `inputs`.
public struct RecordingFormat: Sendable, Hashable {
    /// The sample rate in Hz, a whole number.
    public let sampleRate: Double
    /// The position of each sample in a frame.
    public let channelMap: ChannelMap
    /// Frames per buffer.
    public let bufferSize: UInt32
    /// The quality of sample rate conversion.
    public let resamplerQuality: ResamplerQuality
    /// The outputs as requested, with their rates, channel counts and encodings filled in. Only a lossy container leaves
    /// the encoding nil.
    public let outputs: [RecordingOutput]
    /// The inputs, in the order of ``ACCAudioRecorder/ACCAudioRecorder/Configuration/inputs``, of whose clocks nothing is known
    /// yet; empty for a single one.
    public let inputs: [RecordedInput]

    /// Samples per frame.
    public var channelCount: UInt32 { channelMap.channelCount }

    /// Creates a format, for tests of code that receives events.
    ///
    /// - Parameters:
    ///   - sampleRate: In Hz, a whole number.
    ///   - channelMap: The position of each sample in a frame.
    ///   - bufferSize: Frames per buffer.
    ///   - resamplerQuality: The quality of sample rate conversion.
    ///   - outputs: The outputs, with everything filled in.
    ///   - inputs: The inputs, where there are several.
    public init(
        sampleRate: Double, channelMap: ChannelMap, bufferSize: UInt32 = 4_096,
        resamplerQuality: ResamplerQuality = .medium, outputs: [RecordingOutput] = [], inputs: [RecordedInput] = []
    ) {
        self.sampleRate = sampleRate
        self.channelMap = channelMap
        self.bufferSize = bufferSize
        self.resamplerQuality = resamplerQuality
        self.outputs = outputs
        self.inputs = inputs
    }
}

extension RecordingFormat: Codable {
    private enum Key: String, CodingKey {
        case outputs, inputs
        case sampleRate = "sample_rate"
        case channelMap = "channel_map"
        case bufferSize = "buffer_size"
        case resamplerQuality = "resampler_quality"
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(sampleRate, forKey: .sampleRate)
        try container.encode(channelMap, forKey: .channelMap)
        try container.encode(bufferSize, forKey: .bufferSize)
        try container.encode(resamplerQuality, forKey: .resamplerQuality)
        try container.encode(outputs, forKey: .outputs)
        if !inputs.isEmpty { try container.encode(inputs, forKey: .inputs) }
    }

    /// Decodes everything.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            sampleRate: try container.decode(Double.self, forKey: .sampleRate),
            channelMap: try container.decode(ChannelMap.self, forKey: .channelMap),
            bufferSize: try container.decode(UInt32.self, forKey: .bufferSize),
            resamplerQuality: try container.decode(ResamplerQuality.self, forKey: .resamplerQuality),
            outputs: try container.decode([RecordingOutput].self, forKey: .outputs),
            inputs: try container.decodeIfPresent([RecordedInput].self, forKey: .inputs) ?? [])
    }
}

/// A marker that was set in a recording: by the user, or by the recording itself where one of several inputs lacks audio.
///
/// In JSON a marker is an object with `number`, `frame`, `offset` in seconds and `label`.
public struct RecordingMarker: Sendable, Hashable {
    /// The number of the marker in the recording, from 1.
    public let number: Int
    /// The frame that the marker precedes, at the recording's rate.
    public let frame: Int
    /// The position, pauses excluded.
    public let offset: Duration
    /// The marker's text.
    public let label: String

    /// Creates a marker, for tests of code that receives events.
    ///
    /// - Parameters:
    ///   - number: Counted from 1.
    ///   - frame: The frame that the marker precedes.
    ///   - offset: The position.
    ///   - label: The marker's text.
    public init(number: Int, frame: Int, offset: Duration, label: String) {
        self.number = number
        self.frame = frame
        self.offset = offset
        self.label = label
    }
}

extension RecordingMarker: Codable {}
