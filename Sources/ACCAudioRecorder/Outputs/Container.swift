import CSndFile

/// What an output's samples are wrapped in.
public enum Container: String, Sendable, Hashable, CaseIterable {
    /// RIFF WAVE.
    case wav
    /// The Free Lossless Audio Codec.
    case flac
    /// Samples alone, interleaved, little-endian.
    case raw

    /// The file name extensions that choose the container.
    public var fileExtensions: [String] {
        switch self {
        case .wav: ["wav", "wave"]
        case .flac: ["flac"]
        case .raw: ["raw", "pcm"]
        }
    }

    /// The container that a path's extension names, in upper or lower case.
    public init?(path: String) {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        let name = path[path.index(after: dot)...].lowercased()
        guard let container = Self.allCases.first(where: { $0.fileExtensions.contains(name) }) else { return nil }
        self = container
    }

    /// Refuses what the container does not have, naming what it has.
    func check(encoding: SampleEncoding, form: FrameForm) throws(ACCAudioRecorderError) {
        guard var info = soundFileInfo(encoding: encoding, form: form), sf_format_check(&info) == 0 else { return }
        let remedy =
            self == .flac
            ? "FLAC takes s16 or s24, up to 8 channels and up to 655350 Hz; WAV takes all encodings, channels and rates."
            : "Choose another format."
        throw .outputFailed(
            .init(
                .invalidFormat,
                "cannot write \(encoding) with \(form.channelCount) channels at \(form.sampleRate) Hz as \(self)",
                cause: "the format does not have it", remedy: remedy))
    }

    /// Whether the container says what the channels are, or every reader knows.
    func hasPlace(for map: ChannelMap) -> Bool {
        switch self {
        case .wav: map.isStandard && map.channelCount <= 2 || hasChannelMask(map)
        case .flac, .raw: map.isStandard
        }
    }

    /// Whether a file has the extensible form of WAV, with a channel mask: only where the simple form cannot say what
    /// the channels are, for not every reader knows it.
    func hasChannelMask(_ map: ChannelMap) -> Bool {
        self == .wav && map.channelCount > 2 && map.maskNumbers != nil
    }

    /// libsndfile's description of the container with an encoding; nil for raw output, which needs no library.
    func soundFileInfo(encoding: SampleEncoding, form: FrameForm) -> SF_INFO? {
        let major: Int32
        switch self {
        case .wav: major = Int32(hasChannelMask(form.channelMap) ? SF_FORMAT_WAVEX : SF_FORMAT_WAV)
        case .flac: major = Int32(SF_FORMAT_FLAC)
        case .raw: return nil
        }
        let minor: Int32
        switch encoding {
        case .u8: minor = Int32(SF_FORMAT_PCM_U8)
        case .s16: minor = Int32(SF_FORMAT_PCM_16)
        case .s24: minor = Int32(SF_FORMAT_PCM_24)
        case .s32: minor = Int32(SF_FORMAT_PCM_32)
        case .f32: minor = Int32(SF_FORMAT_FLOAT)
        case .f64: minor = Int32(SF_FORMAT_DOUBLE)
        }
        return SF_INFO(
            frames: 0, samplerate: Int32(form.sampleRate), channels: Int32(form.channelCount), format: major | minor,
            sections: 0, seekable: 0)
    }
}
