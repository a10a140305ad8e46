/// What an output's samples are wrapped in.
public enum Container: String, Sendable, Hashable, CaseIterable {
    /// RIFF WAVE; RF64 once it grows past 4 GiB.
    case wav
    /// WAVE with sizes of 64 bits from its first byte on (EBU Tech 3306).
    case rf64
    /// Sony Wave64, a WAVE with sizes of 64 bits.
    case w64
    /// The Audio Interchange File Format, AIFF-C for floating point.
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
    /// Samples alone, interleaved, little-endian.
    case raw

    /// The file name extensions that choose the container.
    public var fileExtensions: [String] {
        switch self {
        case .wav: ["wav", "wave"]
        case .aiff: ["aiff", "aif", "aifc"]
        case .vorbis: ["ogg", "oga"]
        case .raw: ["raw", "pcm"]
        case .rf64, .w64, .caf, .flac, .opus, .mp3: [rawValue]
        }
    }

    /// Those that it may have as well, where it is chosen in another way.
    public var furtherExtensions: [String] {
        switch self {
        case .rf64: Self.wav.fileExtensions
        case .opus: Self.vorbis.fileExtensions
        default: []
        }
    }

    /// What it is called in full.
    public var fullName: String {
        switch self {
        case .wav: "RIFF WAVE, RF64 beyond 4 GiB"
        case .rf64: "RF64 (EBU Tech 3306)"
        case .w64: "Sony Wave64"
        case .aiff: "Audio Interchange File Format"
        case .caf: "Core Audio Format"
        case .flac: "Free Lossless Audio Codec"
        case .vorbis: "Ogg Vorbis"
        case .opus: "Ogg Opus"
        case .mp3: "MPEG audio, layer 3"
        case .raw: "samples alone"
        }
    }

    /// The container that a path's extension names, in upper or lower case.
    public init?(path: String) {
        guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
        let name = path[path.index(after: dot)...].lowercased()
        guard let container = Self.allCases.first(where: { $0.fileExtensions.contains(name) }) else { return nil }
        self = container
    }

    /// Whether the decoded samples are not those that were encoded.
    public var isLossy: Bool {
        switch self {
        case .vorbis, .opus, .mp3: true
        case .wav, .rf64, .w64, .aiff, .caf, .flac, .raw: false
        }
    }
}
