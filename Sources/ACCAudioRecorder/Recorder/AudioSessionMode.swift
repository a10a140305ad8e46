extension ACCAudioRecorder {
    /// What a recording is for. The mode decides whatever the configuration leaves open.
    ///
    /// | mode | rate | channels | resampler | because |
    /// |---|---|---|---|---|
    /// | `default` | 44,100 Hz | 1 | medium | what most players and editors take |
    /// | `measurement` | the source's | the source's | best | nothing is changed that was not asked for |
    /// | `voiceChat` | 16,000 Hz | 1 | fastest | wideband speech, as calls and recognisers take it |
    /// | `videoRecording` | 48,000 Hz | 2 | medium | the rate of sound for pictures |
    /// | `spokenAudio` | 32,000 Hz | 1 | medium | all of a voice, at three quarters of the size |
    public enum AudioSessionMode: String, Sendable, Hashable, CaseIterable {
        /// General purpose: 44,100 Hz, mono.
        case `default`
        /// Music, instruments, measurements: everything as the source has it.
        case measurement
        /// Calls and speech recognition: 16,000 Hz, mono.
        case voiceChat
        /// Sound for pictures: 48,000 Hz, stereo.
        case videoRecording
        /// Long speech, such as podcasts and audio books: 32,000 Hz, mono.
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
    }
}
