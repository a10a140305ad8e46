extension ACCAudioRecorder {
    /// The purpose of a recording. The mode decides what the configuration leaves open.
    ///
    /// | mode | rate | channels | encoding | resampler | buffer | stream properties |
    /// |---|---|---|---|---|---|---|
    /// | `default` | 44,100 Hz | 1 | s16 | medium | 4,096 | role `production` |
    /// | `measurement` | the source's | the source's | the source's | best | 4,096 | role `production`, no echo
    /// cancelling |
    /// | `voiceChat` | 16,000 Hz | 1 | s16 | fastest | 320 | role `phone`, echo cancelling |
    /// | `videoRecording` | 48,000 Hz | 2 | s16 | medium | 1,024 | role `production` |
    /// | `spokenAudio` | 32,000 Hz | 1 | s16 | medium | 8,192 | role `production` |
    ///
    /// A call of another program pauses every mode but `measurement` and `voiceChat`. The role `phone` lets servers
    /// pause music and switch a headset to telephone quality, so only `voiceChat` has it; the role `production`
    /// prevents that.
    @nonexhaustive
    public enum AudioSessionMode: String, Sendable, Hashable, CaseIterable {
        /// General purpose: a format that most players and editors accept.
        case `default`
        /// Music, instruments, measurements: samples are changed only on request. Warns if the server changes them.
        case measurement
        /// Calls and speech recognition: wideband speech in buffers of 20 ms, with echo cancelling.
        case voiceChat
        /// Sound for video: the usual rate of video, and files that state their start time to the sample.
        case videoRecording
        /// Long speech, such as podcasts and audio books: the full bandwidth of a voice in three quarters of the size,
        /// and long buffers that rarely wake the processor.
        case spokenAudio

        /// The rate, the channels and the encoding of recordings that do not set them. Never inherited.
        public var format: FormatSettings {
            self == .measurement
                ? .native
                : FormatSettings(
                    sampleRate: .given(sampleRate), channelCount: .given(channelCount), encoding: .given(.s16))
        }

        /// The sample rate in Hz, if it is not the source's.
        var sampleRate: Double {
            switch self {
            case .default: 44_100
            case .measurement, .videoRecording: 48_000
            case .voiceChat: 16_000
            case .spokenAudio: 32_000
            }
        }

        /// Samples per frame, if it is not the source's.
        var channelCount: UInt32 {
            switch self {
            case .default, .voiceChat, .spokenAudio: 1
            case .measurement, .videoRecording: 2
            }
        }

        /// The quality of sample rate conversion.
        public var resamplerQuality: ResamplerQuality {
            switch self {
            case .measurement: .best
            case .default, .videoRecording, .spokenAudio: .medium
            case .voiceChat: .fastest
            }
        }

        /// Frames per buffer.
        public var bufferSize: UInt32 {
            switch self {
            case .default, .measurement: 4_096
            case .voiceChat: 320
            case .videoRecording: 1_024
            case .spokenAudio: 8_192
            }
        }

        /// The properties of the stream at the server, with PulseAudio's names. An environment variable
        /// `PULSE_PROP_<name>` overrides a property.
        public var streamProperties: [String: String] {
            switch self {
            case .default, .videoRecording, .spokenAudio: ["media.role": "production"]
            case .measurement: ["media.role": "production", "filter.suppress": "echo-cancel"]
            case .voiceChat: ["media.role": "phone", "filter.want": "echo-cancel"]
            }
        }

        /// Whether files store their start time: in the date tag of a FLAC file, and to the sample in the `bext` chunk
        /// of a WAV file (EBU Tech 3285).
        public var storesStartTime: Bool { self == .videoRecording }

        /// What a recording that leaves it to the mode does when a call begins. A measurement must not be interrupted,
        /// and a recorder that is itself part of a call need not give way to another.
        public var onCall: InterruptionPolicy.CallBehavior {
            switch self {
            case .default, .videoRecording, .spokenAudio: .pause
            case .measurement, .voiceChat: .ignore
            }
        }

        /// Whether the recording warns when the server changes the source's samples.
        var warnsOfProcessing: Bool { self == .measurement }
    }
}

/// The settings of a recording that its session mode decides where they are not given, and what decides them with it.
struct ModeSettings: Sendable {
    var mode: ACCAudioRecorder.AudioSessionMode
    /// As far as it is given.
    var format: FormatSettings
    var channels = ACCAudioRecorder.Configuration.Channels()
    var givenQuality: ResamplerQuality?
    /// In frames.
    var givenBufferSize: UInt32?

    var quality: ResamplerQuality { givenQuality ?? mode.resamplerQuality }
    var bufferSize: UInt32 { givenBufferSize ?? mode.bufferSize }

    /// The buffer size at a rate in Hz: above 48 kHz, the mode's buffer is as long as it is there, since each fragment and each
    /// buffer costs the same however short it is.
    func bufferSize(at sampleRate: Int) -> UInt32 {
        givenBufferSize ?? UInt32(Int(mode.bufferSize) * max(sampleRate, 48_000) / 48_000)
    }

    /// What the engine and the outputs get.
    var session: RecordingPolicies.Session {
        .init(
            modeName: mode.rawValue, storesStartTime: mode.storesStartTime, quality: quality,
            bufferFrames: Int(bufferSize))
    }

    /// The format settings, with the mode's for what is not given. As many channels are recorded as are selected.
    var effectiveFormat: FormatSettings {
        var inherited = mode.format
        if !channels.numbers.isEmpty { inherited.channelCount = .native }
        return format.or(inherited)
    }
}

extension ModeSettings: Hashable {
    /// The values in effect, given or not.
    private var values: [AnyHashable] { [mode, effectiveFormat, channels, quality, bufferSize] }

    static func == (one: Self, other: Self) -> Bool { one.values == other.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

// MARK: - As properties of the configuration

extension ACCAudioRecorder.Configuration {
    /// The purpose of the recording.
    public var audioSessionMode: ACCAudioRecorder.AudioSessionMode {
        get { modeSettings.mode }
        set { modeSettings.mode = newValue }
    }
    /// The rate, the channels and the encoding of the recording, as far as they are set here; an output may have its own. As
    /// many channels are recorded as are selected, unless their number is set.
    public var format: FormatSettings {
        get { modeSettings.format }
        set { modeSettings.format = newValue }
    }
    /// The format settings in effect: with the mode's for what is not set. Never inherited.
    public var effectiveFormat: FormatSettings { modeSettings.effectiveFormat }
    /// The sample rate in Hz, a whole number; by default the mode's (44,100 in mode `default`). Setting it gives
    /// ``format`` a rate; where that is the source's, this is the mode's and means nothing.
    public var sampleRate: Double {
        get { format.sampleRate.value ?? audioSessionMode.sampleRate }
        set { format.sampleRate = .given(newValue) }
    }
    /// Samples per frame; by default the number of selected channels, or else the mode's (1 in mode `default`). Setting it
    /// gives ``format`` a channel count; where that is the source's, this is the mode's and means nothing.
    public var channelCount: UInt32 {
        get { format.channelCount.value ?? audioSessionMode.channelCount }
        set { format.channelCount = .given(newValue) }
    }
    /// Which channels of the source are captured, and what they are.
    public var channels: Channels {
        get { modeSettings.channels }
        set { modeSettings.channels = newValue }
    }
    /// Frames per buffer, as a hint: the last buffer is shorter, and so may be one after a change of rate. By
    /// default the mode's (4096 in mode `default`), and above 48 kHz as many as last as long as these at 48 kHz.
    public var bufferSize: UInt32 {
        get { modeSettings.bufferSize }
        set { modeSettings.givenBufferSize = newValue }
    }
    /// The buffer size of a recording at this rate, in Hz.
    func bufferSize(at sampleRate: Int) -> UInt32 { modeSettings.bufferSize(at: sampleRate) }
    /// The quality of sample rate conversion; by default the mode's.
    public var resamplerQuality: ResamplerQuality {
        get { modeSettings.quality }
        set { modeSettings.givenQuality = newValue }
    }
}
