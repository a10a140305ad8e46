extension ACCAudioRecorder {
    /// What a recording is for. The mode decides whatever the configuration leaves open.
    ///
    /// | mode | rate | channels | encoding | resampler | buffer | stream properties |
    /// |---|---|---|---|---|---|---|
    /// | `default` | 44,100 Hz | 1 | s16 | medium | 4,096 | role `production` |
    /// | `measurement` | the source's | the source's | the source's | best | 4,096 | role `production`, no echo cancelling |
    /// | `voiceChat` | 16,000 Hz | 1 | s16 | fastest | 320 | role `phone`, echo cancelling |
    /// | `videoRecording` | 48,000 Hz | 2 | s16 | medium | 1,024 | role `production` |
    /// | `spokenAudio` | 32,000 Hz | 1 | s16 | medium | 8,192 | role `production` |
    ///
    /// A call of another program pauses all but `measurement` and `voiceChat`. The reasons are with the cases. Role `phone` lets servers cork music and take a headset to telephone quality, so
    /// that no mode but `voiceChat` has it; `production` keeps them from it.
    public enum AudioSessionMode: String, Sendable, Hashable, CaseIterable {
        /// General purpose: what most players and editors take.
        case `default`
        /// Music, instruments, measurements: nothing is changed that was not asked for. Warns where the server changes
        /// something all the same.
        case measurement
        /// Calls and speech recognition: wideband speech in buffers of 20 ms, without the other side's echo.
        case voiceChat
        /// Sound for pictures: their rate, and files that say to the sample when they begin.
        case videoRecording
        /// Long speech, such as podcasts and audio books: all of a voice, at three quarters of the size, in long buffers
        /// that wake the processor seldom.
        case spokenAudio

        /// What the mode takes from the source.
        public var native: NativeProperties { self == .measurement ? [.sampleRate, .channelCount] : [] }

        /// How a sample is stored in an output that leaves it to the mode; nil for what holds the source's samples.
        public var encoding: SampleEncoding? { self == .measurement ? nil : .s16 }

        /// Frames a second, in Hz, where they are not the source's.
        public var sampleRate: Double {
            switch self {
            case .default: 44_100
            case .measurement, .videoRecording: 48_000
            case .voiceChat: 16_000
            case .spokenAudio: 32_000
            }
        }

        /// Samples in a frame, where they are not the source's.
        public var channelCount: UInt32 {
            switch self {
            case .default, .voiceChat, .spokenAudio: 1
            case .measurement, .videoRecording: 2
            }
        }

        /// How well the rate is converted where the source has another.
        public var resamplerQuality: ResamplerQuality {
            switch self {
            case .measurement: .best
            case .default, .videoRecording, .spokenAudio: .medium
            case .voiceChat: .fastest
            }
        }

        /// Frames in a buffer.
        public var bufferSize: UInt32 {
            switch self {
            case .default, .measurement: 4_096
            case .voiceChat: 320
            case .videoRecording: 1_024
            case .spokenAudio: 8_192
            }
        }

        /// What the server is told of the stream, in PulseAudio's names. A variable `PULSE_PROP_<name>` of the environment
        /// goes before.
        public var streamProperties: [String: String] {
            switch self {
            case .default, .videoRecording, .spokenAudio: ["media.role": "production"]
            case .measurement: ["media.role": "production", "filter.suppress": "echo-cancel"]
            case .voiceChat: ["media.role": "phone", "filter.want": "echo-cancel"]
            }
        }

        /// Whether files say when they begin: in the date of a FLAC file, and to the sample in the `bext` chunk of a WAV
        /// file (EBU Tech 3285).
        public var storesStartTime: Bool { self == .videoRecording }

        /// What a recording that leaves it to the mode does when a call begins. One that measures is not to break off, and
        /// one that is a call itself is not to make room for another.
        public var onCall: InterruptionPolicy.CallBehavior {
            switch self {
            case .default, .videoRecording, .spokenAudio: .pause
            case .measurement, .voiceChat: .ignore
            }
        }

        /// Whether the recording warns where the server changes the source's samples.
        var warnsOfAlterations: Bool { self == .measurement }
    }
}
