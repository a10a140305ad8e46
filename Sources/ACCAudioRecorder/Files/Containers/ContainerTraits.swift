import CSndFile

/// The properties of a container, all in one place: a new container is described here.
struct ContainerTraits {
    /// Where a file states its length while it is being written.
    enum Length {
        /// In the header's sizes, which have to be updated.
        case header
        /// In FLAC's STREAMINFO block.
        case streamInformation
        /// In the Xing tag in the first frame of an MP3 file with variable bit rate.
        case xingTag
        /// Nowhere: it can be read without.
        case none
    }

    /// The header that replaces libsndfile's.
    enum Header {
        /// - Parameter isAlwaysLarge: Whether the file is RF64 from the start.
        case wav(isAlwaysLarge: Bool)
        case w64
        case aiff
    }

    /// The channel order of a file, and how it states the loudspeakers.
    enum ChannelOrder: Equatable {
        /// The recording's order; the reader has to know it.
        case recorded
        /// The order of a channel mask in the format chunk.
        case mask
        /// As `mask`, but for integers only. libsndfile, and thus many programs, reads floats with a mask as integers;
        /// without a mask, players assume the standard order.
        case maskOfIntegers
        /// Any order, with Core Audio's layout in a chunk of this name.
        case coreAudio(chunk: String)
        /// The order of Vorbis (Vorbis I specification, 4.3.9) and Opus (RFC 7845, 5.1.1.2).
        case vorbis
        /// The standard order, up to eight channels (RFC 9639, 9.1.3).
        case standard
        /// Mono and stereo only.
        case stereo
    }

    /// The text encoding of tags.
    enum TagText {
        case utf8
        /// libsndfile reads the text as Latin-1.
        case latin1

        /// The text as passed to libsndfile; nil if it cannot be encoded.
        func bytes(of text: String) -> [UInt8]? {
            switch self {
            case .utf8: return Array(text.utf8)
            case .latin1:
                let bytes = text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }
                return bytes.count == text.unicodeScalars.count ? bytes : nil
            }
        }

        /// The text as passed to libsndfile, with a question mark for each character that cannot be encoded.
        func lossyBytes(of text: String) -> [UInt8] {
            bytes(of: text) ?? text.unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") }
        }
    }

    /// The container in libsndfile's terms.
    struct SoundFileFormat {
        /// The file format (`SF_FORMAT_WAV` …).
        let major: Int
        /// The codec that replaces an encoding (`SF_FORMAT_OPUS` …).
        var codec: Int?
        /// The subtype of 8-bit samples.
        var eightBits = SF_FORMAT_PCM_U8
        /// Whether to set the page length of an Ogg stream.
        var hasPageLength = false
    }

    /// How compression is configured.
    struct Compressor {
        enum BitRates {
            /// A target in kbit/s per channel.
            case perChannel(ClosedRange<Int>)
            /// The constant bit rates of MPEG audio, layer 3.
            case layer3
        }

        let levels: ClosedRange<Int>
        /// The default level; nil if the default is not one of the levels.
        var standardLevel: Int?
        /// The level that corresponds to libsndfile's 1.
        let fullLevel: Double
        var bitRates: BitRates?
    }

    /// How the size of a file grows.
    enum Growth {
        /// Plain samples after a header whose length is a multiple of this many bytes.
        case samples(headerAlignment: Int)
        case flac, mp3, opus, vorbis
    }

    let fullName: String
    let fileExtensions: [String]
    var furtherExtensions: [String] = []
    /// Nil if it is written without libsndfile.
    var soundFile: SoundFileFormat?
    var isLossy = false
    var channelCounts = 1...32
    /// Nil for all rates up to the highest.
    var sampleRates: [Int]?
    var highestSampleRate = StreamFormat.sampleRates.upperBound
    var isStreamable = false
    var largestSize: Int?
    var compressor: Compressor?
    var tags: [MetadataTag] = []
    /// The maximum size of the tags in bytes. libsndfile silently omits longer tags; in AIFF it writes them so that the
    /// file no longer opens.
    var largestTags = 0
    var tagText = TagText.utf8
    /// Whether it is a RIFF WAVE or RF64 file, which can have a `bext` chunk, and cue points after the samples.
    var isWAV = false
    /// Nil if it holds no chapters.
    var chapters: ChapterForm?
    var header: Header?
    var length = Length.none
    var channelOrder: ChannelOrder
    var growth = Growth.samples(headerAlignment: 1)
    /// Whether an incomplete file can be repaired.
    var isMendable = true

    /// Whether samples are not written at once, but by frame or page.
    var collectsFrames: Bool {
        if case .samples = growth { false } else { true }
    }
}

extension Container {
    var traits: ContainerTraits {
        switch self {
        case .wav: .wav
        case .rf64: .rf64
        case .w64: .w64
        case .aiff: .aiff
        case .caf: .caf
        case .flac: .flac
        case .vorbis: .vorbis
        case .opus: .opus
        case .mp3: .mp3
        case .raw: .raw
        }
    }
}

extension ContainerTraits {
    fileprivate static let wav = ContainerTraits(
        fullName: "RIFF WAVE, RF64 beyond 4 GiB", fileExtensions: ["wav", "wave"],
        soundFile: SoundFileFormat(major: SF_FORMAT_WAV), isStreamable: true,
        tags: [.title, .artist, .album, .comment, .date, .genre, .track, .copyright], largestTags: 32 << 10,
        isWAV: true,
        header: .wav(isAlwaysLarge: false), length: .header, channelOrder: .mask)

    /// Written as WAV and turned into RF64 by `WAVHeader`: libsndfile's own RF64 always has the extensible format
    /// chunk, which not every reader supports.
    fileprivate static let rf64 = {
        var rf64 = ContainerTraits(
            fullName: "RF64 (EBU Tech 3306)", fileExtensions: ["rf64"], furtherExtensions: wav.fileExtensions,
            soundFile: wav.soundFile, channelOrder: wav.channelOrder)
        (rf64.tags, rf64.largestTags, rf64.isWAV, rf64.length) = (wav.tags, wav.largestTags, true, wav.length)
        rf64.header = .wav(isAlwaysLarge: true)
        return rf64
    }()

    fileprivate static let w64 = ContainerTraits(
        fullName: "Sony Wave64", fileExtensions: ["w64"], soundFile: SoundFileFormat(major: SF_FORMAT_W64),
        header: .w64, length: .header, channelOrder: .maskOfIntegers)

    fileprivate static let aiff = ContainerTraits(
        fullName: "Audio Interchange File Format", fileExtensions: ["aiff", "aif", "aifc"],
        soundFile: SoundFileFormat(major: SF_FORMAT_AIFF, eightBits: SF_FORMAT_PCM_S8), largestSize: Int(UInt32.max),
        tags: [.title, .artist, .comment, .copyright], largestTags: 7 << 10, header: .aiff, length: .header,
        channelOrder: .coreAudio(chunk: "CHAN"))

    fileprivate static let caf = ContainerTraits(
        fullName: "Core Audio Format", fileExtensions: ["caf"],
        soundFile: SoundFileFormat(major: SF_FORMAT_CAF, eightBits: SF_FORMAT_PCM_S8), tags: MetadataTag.allCases,
        largestTags: 12 << 10, length: .header, channelOrder: .coreAudio(chunk: "chan"),
        growth: .samples(headerAlignment: 4_096))

    fileprivate static let flac = ContainerTraits(
        fullName: "Free Lossless Audio Codec", fileExtensions: ["flac"],
        soundFile: SoundFileFormat(major: SF_FORMAT_FLAC), channelCounts: 1...8, isStreamable: true,
        compressor: Compressor(levels: 0...8, standardLevel: 5, fullLevel: 8), tags: MetadataTag.allCases,
        largestTags: 1 << 20, chapters: .comments, length: .streamInformation, channelOrder: .standard, growth: .flac)

    fileprivate static let vorbis = ContainerTraits(
        fullName: "Ogg Vorbis", fileExtensions: ["ogg", "oga"],
        soundFile: SoundFileFormat(major: SF_FORMAT_OGG, codec: SF_FORMAT_VORBIS), isLossy: true,
        channelCounts: 1...8, highestSampleRate: 200_000, isStreamable: true,
        compressor: Compressor(levels: 0...10, standardLevel: 6, fullLevel: 10), tags: MetadataTag.allCases,
        largestTags: 1 << 20, chapters: .comments, channelOrder: .vorbis, growth: .vorbis)

    fileprivate static let opus = ContainerTraits(
        fullName: "Ogg Opus", fileExtensions: ["opus"], furtherExtensions: vorbis.fileExtensions,
        soundFile: SoundFileFormat(major: SF_FORMAT_OGG, codec: SF_FORMAT_OPUS, hasPageLength: true), isLossy: true,
        channelCounts: 1...8, sampleRates: [8_000, 12_000, 16_000, 24_000, 48_000], highestSampleRate: 48_000,
        isStreamable: true,
        compressor: Compressor(levels: 0...10, fullLevel: 10, bitRates: .perChannel(6...256)),
        tags: MetadataTag.allCases, largestTags: 32 << 10, chapters: .comments, channelOrder: .vorbis, growth: .opus)

    fileprivate static let mp3 = ContainerTraits(
        fullName: "MPEG audio, layer 3", fileExtensions: ["mp3"],
        soundFile: SoundFileFormat(major: SF_FORMAT_MPEG, codec: SF_FORMAT_MPEG_LAYER_III), isLossy: true,
        channelCounts: 1...2,
        sampleRates: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000],
        highestSampleRate: 48_000,
        compressor: Compressor(levels: 0...9, standardLevel: 4, fullLevel: 10, bitRates: .layer3),
        tags: [.title, .artist, .album, .comment, .date, .genre, .track], largestTags: 1 << 20, tagText: .latin1,
        chapters: .id3, length: .xingTag, channelOrder: .stereo, growth: .mp3, isMendable: false)

    fileprivate static let raw = ContainerTraits(
        fullName: "samples alone", fileExtensions: ["raw", "pcm"], isStreamable: true, channelOrder: .recorded)
}

extension ContainerTraits {
    /// How a container holds chapters.
    enum ChapterForm {
        /// As comments `CHAPTER001=` and `CHAPTER001NAME=`, in FLAC and Ogg.
        case comments
        /// As `CHAP` frames of an ID3v2 tag, in MP3.
        case id3

        /// The maximum size in bytes of the tags with chapters. The files of others may state any.
        static let largestTags = 16 << 20

        /// The maximum number of chapters: of a comment's three digits, and of the byte in which a table of contents
        /// counts them.
        var largestCount: Int {
            switch self {
            case .comments: 999
            case .id3: 255
            }
        }

        /// The maximum number of bytes that a chapter adds to a file.
        func largestSize(ofLabel label: String) -> Int {
            switch self {
            // Each 255 bytes of a page of Ogg need one more.
            case .comments: 64 + label.utf8.count + label.utf8.count / 255
            case .id3: 96 + 2 * label.utf8.count
            }
        }
    }
}
