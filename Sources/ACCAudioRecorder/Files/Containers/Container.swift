/// The file format of an output.
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
    public var channelCounts: ClosedRange<Int> { traits.channelCounts }

    /// The sample rates that it supports, in Hz; nil if it supports all up to `highestSampleRate`.
    public var sampleRates: [Int]? { traits.sampleRates }

    /// The highest sample rate that it supports, in Hz.
    public var highestSampleRate: Int { traits.highestSampleRate }

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
    public func bitRates(sampleRate: Int, channelCount: Int) -> [Int] {
        switch traits.compressor?.bitRates {
        case .perChannel(let range)?: Array(range.lowerBound * channelCount...range.upperBound * channelCount)
        // The rates of MPEG-1, MPEG-2 and MPEG-2.5 layer 3 differ.
        case .layer3? where sampleRate >= 32_000: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        case .layer3? where sampleRate >= 16_000: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        case .layer3?: [8, 16, 24, 32, 40, 48, 56, 64]
        case nil: []
        }
    }
}
