import CSndFile

/// Containers in libsndfile's terms.
extension Container {
    /// Whether the installed libsndfile can write it.
    public var isAvailable: Bool {
        guard let format = traits.soundFile else { return true }
        return SoundFileLibrary.containers.contains(Int32(format.major))
            && (format.codec.map { SoundFileLibrary.codecs.contains(Int32($0)) } ?? true)
    }

    /// The encodings that it supports; none if it is lossy: it then stores no samples as such and is fed floating
    /// point.
    public var encodings: [SampleEncoding] {
        let form = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 1))
        return isLossy
            ? []
            : SampleEncoding.allCases.filter { encoding in
                guard var info = soundFileInfo(encoding: encoding, form: form) else { return true }
                return sf_format_check(&info) != 0
            }
    }

    /// libsndfile's description of the container with an encoding; nil for raw output, which does not use libsndfile.
    func soundFileInfo(encoding: SampleEncoding, form: StreamFormat) -> SF_INFO? {
        guard let format = traits.soundFile else { return nil }
        return SF_INFO(
            frames: 0, samplerate: Int32(form.sampleRate), channels: Int32(form.channelCount),
            format: Int32(format.major | (format.codec ?? format.subtype(of: encoding))), sections: 0, seekable: 0)
    }

    /// libsndfile's compression level, from 0 (largest file) to 1. libsndfile truncates the value that it computes from
    /// this to an integer, hence the halves.
    func soundFileLevel(of compression: Compression, _ form: StreamFormat) -> Double {
        switch compression {
        case .level(let level): return Double(level) / (traits.compressor?.fullLevel ?? 1)
        case .bitRate(let rate):
            if case .perChannel(let range)? = traits.compressor?.bitRates {
                let perChannel = Double(rate) * 1_000 / Double(form.channelCount)
                let (lowest, highest) = (Double(range.lowerBound) * 1_000, Double(range.upperBound) * 1_000)
                return max(1 - (perChannel + 0.5 - lowest) / (highest - lowest), 0)
            }
            let rates = bitRates(sampleRate: form.sampleRate, channelCount: form.channelCount)
            let (lowest, highest) = (Double(rates.first ?? 0), Double(rates.last ?? 0))
            return max((highest - Double(rate) - 0.5) / (highest - lowest), 0)
        }
    }
}

extension ContainerTraits.SoundFileFormat {
    fileprivate func subtype(of encoding: SampleEncoding) -> Int {
        switch encoding {
        case .u8: eightBits
        case .s16: SF_FORMAT_PCM_16
        case .s24: SF_FORMAT_PCM_24
        case .s32: SF_FORMAT_PCM_32
        case .f32: SF_FORMAT_FLOAT
        case .f64: SF_FORMAT_DOUBLE
        }
    }
}

/// The capabilities of the installed libsndfile.
enum SoundFileLibrary {
    /// The name and version, such as `libsndfile-1.2.0`.
    static let version = String(cString: sf_version_string())
    /// The containers that it can write (`SF_FORMAT_WAV` …).
    static let containers = formats(count: SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR, SF_FORMAT_TYPEMASK)
    /// The encodings and codecs that it can write (`SF_FORMAT_PCM_16` …).
    static let codecs = formats(count: SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE, SF_FORMAT_SUBMASK)

    private static func formats(count countCommand: Int, _ command: Int, _ mask: Int) -> Set<Int32> {
        var count: Int32 = 0
        sf_command(nil, Int32(countCommand), &count, Int32(MemoryLayout<Int32>.size))
        return Set(
            (0..<count).map { index in
                var info = SF_FORMAT_INFO(format: index, name: nil, extension: nil)
                sf_command(nil, Int32(command), &info, Int32(MemoryLayout<SF_FORMAT_INFO>.size))
                return info.format & Int32(mask)
            })
    }
}
