import CSndFile

/// The file format of an output.
@nonexhaustive
public enum Container: String, Sendable, Hashable, CaseIterable, Codable {
    /// RIFF WAVE; RF64 from 4 GiB on.
    case wav
    /// WAVE with 64-bit sizes from the start (EBU Tech 3306).
    case rf64
    /// Sony Wave64: WAVE with 64-bit sizes.
    case w64
    /// The Audio Interchange File Format; AIFF-C for floating point.
    case aiff
    /// Apple's Core Audio Format.
    case caf
    /// The Free Lossless Audio Codec.
    case flac
    /// Vorbis in Ogg; lossy.
    case vorbis
    /// Opus in Ogg; lossy.
    case opus
    /// MPEG audio, layer 3; lossy.
    case mp3
    /// Samples without a header, interleaved, little-endian.
    case raw

    /// The file name extensions that select the container.
    public var fileExtensions: [String] { traits.fileExtensions }

    /// Further extensions that it may have if it is selected otherwise.
    public var furtherExtensions: [String] { traits.furtherExtensions }

    /// The full name.
    public var fullName: String { traits.fullName }

    /// The container for a path's extension, in upper or lower case.
    public init?(path: String) {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        let name = path[path.index(after: dot)...].lowercased()
        guard let container = Self.allCases.first(where: { $0.fileExtensions.contains(name) }) else { return nil }
        self = container
    }

    /// Whether decoding does not give back the exact samples.
    public var isLossy: Bool { traits.isLossy }

    /// The channel counts that it supports.
    public var channelCounts: ClosedRange<UInt32> {
        UInt32(traits.channelCounts.lowerBound)...UInt32(traits.channelCounts.upperBound)
    }

    /// The sample rates that it supports, in Hz; nil if it supports all up to `highestSampleRate`.
    public var sampleRates: [Double]? { traits.sampleRates?.map(Double.init) }

    /// The highest sample rate that it supports, in Hz.
    public var highestSampleRate: Double { Double(traits.highestSampleRate) }

    /// Whether it can be read while it is written, and so be written to a pipe.
    public var isStreamable: Bool { traits.isStreamable }

    /// The maximum file size in bytes; nil if larger than any disk.
    public var largestSize: Int? { traits.largestSize }

    /// The tags that libsndfile can write to it.
    public var tags: [MetadataTag] { traits.tags }

    /// Whether it has a `bext` chunk (EBU Tech 3285).
    public var hasBroadcastInfo: Bool { traits.isWAV }
}

// MARK: - Compression

/// How strongly a compressing container compresses.
@nonexhaustive
public enum Compression: Sendable, Hashable {
    /// A level, from 0 for the largest file; `Container.compressionLevels` gives the range. FLAC takes more time at
    /// higher levels and is always lossless. In Vorbis the quality is 10 − level, in MP3 it is the level of variable
    /// bit rate (V0 to V9), and in Opus the target is 256 − 25 × level kbit/s per channel.
    case level(Int)
    /// Kilobits per second, for all channels together: constant in MP3; in Opus a target for the average of a file.
    /// `Container.bitRates(sampleRate:channelCount:)` gives the valid values.
    case bitRate(Int)
}

extension Container {
    /// The valid values of `Compression.level`; nil if there are none.
    public var compressionLevels: ClosedRange<Int>? { traits.compressor?.levels }

    /// The default level; nil if the default is not one of the levels.
    public var defaultCompressionLevel: Int? { traits.compressor?.standardLevel }

    /// Whether it supports `Compression.bitRate`.
    public var hasBitRate: Bool { traits.compressor?.bitRates != nil }

    /// The valid values of `Compression.bitRate`, in kbit/s for all channels together; empty if there are none.
    public func bitRates(sampleRate: Double, channelCount: UInt32) -> [Int] {
        switch traits.compressor?.bitRates {
        case .perChannel(let range)?:
            Array(range.lowerBound * Int(channelCount)...range.upperBound * Int(channelCount))
        // The rates of MPEG-1, MPEG-2 and MPEG-2.5 layer 3 differ.
        case .layer3? where sampleRate >= 32_000: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        case .layer3? where sampleRate >= 16_000: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        case .layer3?: [8, 16, 24, 32, 40, 48, 56, 64]
        case nil: []
        }
    }

    func bitRates(of form: StreamFormat) -> [Int] {
        bitRates(sampleRate: Double(form.sampleRate), channelCount: UInt32(form.channelCount))
    }
}

/// A text tag of a file.
@nonexhaustive
public enum MetadataTag: String, Sendable, Hashable, CaseIterable {
    /// The title.
    case title
    /// The performer.
    case artist
    /// The album or collection.
    case album
    /// A comment.
    case comment
    /// The date of the recording.
    case date
    /// The genre.
    case genre
    /// The number in the album.
    case track
    /// The copyright holder.
    case copyright
    /// The licence.
    case license

    /// libsndfile's number for the tag.
    var soundFileString: Int {
        switch self {
        case .title: SF_STR_TITLE
        case .artist: SF_STR_ARTIST
        case .album: SF_STR_ALBUM
        case .comment: SF_STR_COMMENT
        case .date: SF_STR_DATE
        case .genre: SF_STR_GENRE
        case .track: SF_STR_TRACKNUMBER
        case .copyright: SF_STR_COPYRIGHT
        case .license: SF_STR_LICENSE
        }
    }
}

/// Containers in libsndfile's terms.
extension Container {
    /// Whether the installed libsndfile can write it.
    public var isAvailable: Bool {
        guard let format = traits.soundFile else { return true }
        return Self.writableFormats.contains(Int32(format.major))
            && (format.codec.map { Self.writableSubtypes.contains(Int32($0)) } ?? true)
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
            let rates = bitRates(of: form)
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

/// The installed libsndfile.
extension Container {
    /// Its name and version, such as `libsndfile-1.2.0`.
    static let soundFileVersion = String(cString: sf_version_string())
    /// The containers that it can write (`SF_FORMAT_WAV` …).
    private static let writableFormats = formats(
        count: SFC_GET_FORMAT_MAJOR_COUNT, SFC_GET_FORMAT_MAJOR, SF_FORMAT_TYPEMASK)
    /// The encodings and codecs that it can write (`SF_FORMAT_PCM_16` …).
    private static let writableSubtypes = formats(
        count: SFC_GET_FORMAT_SUBTYPE_COUNT, SFC_GET_FORMAT_SUBTYPE, SF_FORMAT_SUBMASK)

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
