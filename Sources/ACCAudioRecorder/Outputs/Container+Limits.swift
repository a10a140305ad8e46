import CSndFile

/// What a container takes.
extension Container {
    /// The encodings that it has; none where it is lossy: it then stores no samples, and takes floating point.
    public var encodings: [SampleEncoding] {
        let form = FrameForm(sampleRate: 48_000, channelMap: .standard(channelCount: 1))
        return isLossy
            ? []
            : SampleEncoding.allCases.filter { encoding in
                guard var info = soundFileInfo(encoding: encoding, form: form) else { return true }
                return sf_format_check(&info) != 0
            }
    }

    /// How many channels it takes.
    public var channelCounts: ClosedRange<Int> {
        switch self {
        case .wav, .rf64, .w64, .aiff, .caf, .raw: 1...32
        case .flac: 1...8
        case .vorbis, .opus, .mp3: 1...2
        }
    }

    /// The rates that it takes, in Hz; nil where it takes every one up to `highestSampleRate`.
    public var sampleRates: [Int]? {
        switch self {
        case .opus: [8_000, 12_000, 16_000, 24_000, 48_000]
        case .mp3: [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
        case .wav, .rf64, .w64, .aiff, .caf, .flac, .vorbis, .raw: nil
        }
    }

    /// The highest rate that it takes, in Hz.
    public var highestSampleRate: Int {
        switch self {
        case .vorbis: 200_000
        default: sampleRates?.last ?? Int(ACCAudioRecorder.Configuration.sampleRates.upperBound)
        }
    }

    /// Whether it can be read while it is written, so that a pipe takes it.
    public var isStreamable: Bool {
        switch self {
        case .wav, .flac, .vorbis, .opus, .raw: true
        case .rf64, .w64, .aiff, .caf, .mp3: false
        }
    }

    /// The largest file, in bytes; nil where that is beyond every disk.
    public var largestSize: Int? { self == .aiff ? Int(UInt32.max) : nil }

    /// The levels of `Compression.level`; nil where there is none.
    public var compressionLevels: ClosedRange<Int>? {
        switch self {
        case .flac: 0...8
        case .vorbis, .opus: 0...10
        case .mp3: 0...9
        case .wav, .rf64, .w64, .aiff, .caf, .raw: nil
        }
    }

    /// The level of a file that asks for none; nil where that is none of the levels.
    public var defaultCompressionLevel: Int? {
        switch self {
        case .flac: 5
        case .vorbis: 6
        case .mp3: 4
        case .wav, .rf64, .w64, .aiff, .caf, .opus, .raw: nil
        }
    }

    /// The values of `Compression.bitRate`, in kbit/s for all channels together; empty where there is none.
    public func bitRates(sampleRate: Int, channelCount: Int) -> [Int] {
        switch self {
        case .opus: Array(6 * channelCount...256 * channelCount)
        // MPEG-1, MPEG-2 and MPEG-2.5 layer 3 have rates of their own.
        case .mp3 where sampleRate >= 32_000: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        case .mp3 where sampleRate >= 16_000: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        case .mp3: [8, 16, 24, 32, 40, 48, 56, 64]
        case .wav, .rf64, .w64, .aiff, .caf, .flac, .vorbis, .raw: []
        }
    }

    /// Whether it takes `Compression.bitRate`.
    public var hasBitRate: Bool { self == .opus || self == .mp3 }
}
