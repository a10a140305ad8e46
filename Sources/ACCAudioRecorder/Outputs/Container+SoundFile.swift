import CSndFile

/// A container as libsndfile knows it.
extension Container {
    /// Whether the libsndfile of this machine can write it.
    public var isAvailable: Bool {
        guard let format = soundFileContainer else { return true }
        return SoundFileLibrary.containers.contains(format)
            && (soundFileCodec.map(SoundFileLibrary.codecs.contains) ?? true)
    }

    /// libsndfile's description of the container with an encoding; nil for raw output, which needs no library.
    func soundFileInfo(encoding: SampleEncoding, form: FrameForm) -> SF_INFO? {
        guard var format = soundFileContainer else { return nil }
        if wavForm != nil, maskNumbers(for: form.channelMap) != nil { format = Int32(SF_FORMAT_WAVEX) }
        return SF_INFO(
            frames: 0, samplerate: Int32(form.sampleRate), channels: Int32(form.channelCount),
            format: format | (soundFileCodec ?? soundFileFormat(of: encoding)), sections: 0, seekable: 0)
    }

    /// How the header of a WAV file stands in the file; nil for what is no WAV file.
    var wavForm: FileMedium.WAVForm? { self == .wav ? .riff : self == .rf64 ? .rf64 : nil }

    /// Whether the header says how many samples there are, and has to be brought up to date. What is compressed is
    /// written by frame or page, which can be read without a total.
    var hasSizesInHeader: Bool { compressionLevels == nil && self != .raw }

    /// Whether the container says what the channels are, or every reader knows.
    func hasPlace(for map: ChannelMap) -> Bool {
        map.isStandard && (wavForm == nil || map.channelCount <= 2) || maskNumbers(for: map) != nil
    }

    /// The positions as they are to be written into the file; nil where there is no need, or no place. WAV has a channel
    /// mask in its extensible form only, which not every reader knows, so that it is taken where the simple form cannot
    /// say what the channels are.
    func maskNumbers(for map: ChannelMap) -> [Int32]? {
        wavForm != nil && map.channelCount > 2 ? map.maskNumbers : nil
    }

    /// RF64 is written as WAV, and is made RF64 on its way to the file (`WAVHeader`): libsndfile's own has the extensible
    /// form always, which not every reader knows.
    private var soundFileContainer: Int32? {
        switch self {
        case .wav, .rf64: Int32(SF_FORMAT_WAV)
        case .w64: Int32(SF_FORMAT_W64)
        case .aiff: Int32(SF_FORMAT_AIFF)
        case .caf: Int32(SF_FORMAT_CAF)
        case .flac: Int32(SF_FORMAT_FLAC)
        case .vorbis, .opus: Int32(SF_FORMAT_OGG)
        case .mp3: Int32(SF_FORMAT_MPEG)
        case .raw: nil
        }
    }

    private func soundFileFormat(of encoding: SampleEncoding) -> Int32 {
        switch encoding {
        // AIFF and CAF have eight bits with a sign.
        case .u8: Int32(self == .aiff || self == .caf ? SF_FORMAT_PCM_S8 : SF_FORMAT_PCM_U8)
        case .s16: Int32(SF_FORMAT_PCM_16)
        case .s24: Int32(SF_FORMAT_PCM_24)
        case .s32: Int32(SF_FORMAT_PCM_32)
        case .f32: Int32(SF_FORMAT_FLOAT)
        case .f64: Int32(SF_FORMAT_DOUBLE)
        }
    }

    /// What takes the place of an encoding.
    private var soundFileCodec: Int32? {
        switch self {
        case .vorbis: Int32(SF_FORMAT_VORBIS)
        case .opus: Int32(SF_FORMAT_OPUS)
        case .mp3: Int32(SF_FORMAT_MPEG_LAYER_III)
        case .wav, .rf64, .w64, .aiff, .caf, .flac, .raw: nil
        }
    }
}

extension Container {
    /// libsndfile's measure of a compression, from 0 for the largest file to 1. It cuts what it makes of it down to a
    /// whole number, hence the halves.
    func soundFileLevel(of compression: Compression, _ form: FrameForm) -> Double {
        switch compression {
        case .level(let level): return Double(level) / (self == .flac ? 8 : 10)
        case .bitRate(let rate):
            if self == .opus {
                let perChannel = Double(rate) * 1_000 / Double(form.channelCount)
                return max(1 - (perChannel + 0.5 - 6_000) / 250_000, 0)
            }
            let rates = bitRates(sampleRate: form.sampleRate, channelCount: form.channelCount)
            let (lowest, highest) = (Double(rates.first ?? 0), Double(rates.last ?? 0))
            return max((highest - Double(rate) - 0.5) / (highest - lowest), 0)
        }
    }
}
