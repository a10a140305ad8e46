import ACCAudioRecorder
import ArgumentParser

/// Options for the format of a recording.
struct FormatOptions: ParsableArguments {
    @Option(
        name: .longAndJoined("m"),
        help:
            "What the recording is for; sets the defaults of other options. (default: none; the source's format is kept)"
    )
    var mode: ACCAudioRecorder.AudioSessionMode?

    @Option(
        name: .longAndJoined("r"),
        help: ArgumentHelp(
            "Sample rate in Hz, 8000 to 384000, or 'native'. (default: the mode's, or the source's)", valueName: "hertz"
        ),
        completion: .list(["native", "16000", "44100", "48000", "96000", "192000"]),
        transform: FormatSetting.rate)
    var rate: FormatSetting<Double>?

    @Option(
        name: .longAndJoined("c"),
        help: ArgumentHelp(
            "Number of channels, 1 to 32, or 'native'. (default: as many as selected, or the mode's, or the source's)",
            valueName: "count"),
        completion: .list(["native", "1", "2"]),
        transform: FormatSetting.channels)
    var channels: FormatSetting<UInt32>?

    @Option(
        help: "Sample encoding; 'native' is the source's. (default: the mode's, or s16 for 16 bits and s24 for more)")
    var encoding: FormatSetting<SampleEncoding>?

    @Option(
        name: .customLong("format"),
        help: "File format; 'accrec formats' lists them. (default: as the extension says)")
    var container: Container?

    @Option(
        name: .customLong("compression"),
        help: ArgumentHelp(
            "Compression level: FLAC 0 to 8, Vorbis and Opus 0 to 10, MP3 0 to 9. 0 gives the largest file.",
            valueName: "level"))
    var level: Int?

    @Option(
        name: .customLong("bitrate"),
        help: ArgumentHelp("Bit rate of MP3 or Opus, for all channels together.", valueName: "kbit/s"),
        transform: { text in
            // As other programs want it: 128k.
            guard let rate = Int(text.hasSuffix("k") ? text.dropLast() : text[...]) else {
                throw ValidationError("give a number of kbit/s, such as 128")
            }
            return rate
        })
    var bitRate: Int?

    @Option(help: "Resampling quality. (default: the mode's, medium)")
    var quality: ResamplerQuality?

    @Flag(inversion: .prefixedNo, help: "Add dither when converted samples are rounded.")
    var dither = true

    @Option(
        name: .longAndJoined("b"),
        help: ArgumentHelp("Buffer size in frames, 16 to 65536. (default: the mode's, 4096)", valueName: "frames"),
        transform: { text in
            guard let count = Int(text), (16...65_536).contains(count) else {
                throw ValidationError("give a whole number from 16 to 65536")
            }
            return count
        })
    var bufferSize: Int?

    func validate() throws {
        if level != nil, bitRate != nil {
            throw ValidationError("--compression and --bitrate exclude each other")
        }
    }

    /// Sets what these options decide of a recording.
    func apply(to configuration: inout ACCAudioRecorder.Configuration) {
        configuration.audioSessionMode = mode ?? .default
        configuration.format = FormatSettings(
            sampleRate: rate ?? .inherited, channelCount: channels ?? .inherited
        ).or(mode == nil ? Self.ofSource : FormatSettings())
        if let quality { configuration.resamplerQuality = quality }
        if let bufferSize { configuration.bufferSize = UInt32(bufferSize) }
    }

    /// Sets what these options decide of an output that has the recording's rate and channels.
    func apply(to output: inout RecordingOutput) {
        if rate == nil, let mode, let required = Self.rate(of: mode, in: output.container) {
            output.format.sampleRate = .given(required)
        }
        // A lossy format ignores the mode's encoding but rejects one that the user asks for.
        output.format.encoding = encoding ?? .inherited
        output.compression = level.map(Compression.level) ?? bitRate.map(Compression.bitRate)
        output.isDithered = dither
    }

    /// What is recorded without a mode: all that the source has.
    private static let ofSource = FormatSettings(sampleRate: .native, channelCount: .native, encoding: .sufficient)

    /// The next rate above the mode's that the format supports, or nil if it supports the mode's rate, or the source has it.
    private static func rate(of mode: ACCAudioRecorder.AudioSessionMode, in container: Container) -> Double? {
        guard let usual = mode.format.sampleRate.value, let rates = container.sampleRates, let highest = rates.last
        else {
            return nil
        }
        let rate = rates.first { $0 >= usual } ?? highest
        return rate == usual ? nil : rate
    }
}

// MARK: - Settings as written on the command line: a value, or the word `native` for the source's

extension FormatSetting {
    /// - Parameter value: Makes the value from a number in the range.
    fileprivate init(_ text: String, in range: ClosedRange<Int>, _ value: (Int) -> Value) throws {
        if text == "native" {
            self = .native
        } else if let number = Int(text), range.contains(number) {
            self = .given(value(number))
        } else {
            throw ValidationError("give a whole number from \(range.lowerBound) to \(range.upperBound), or 'native'")
        }
    }
}

extension FormatSetting<Double> {
    /// A sample rate in Hz.
    static func rate(_ text: String) throws -> Self {
        let hertz = hertz(text)
        if let kilohertz = Double(hertz), (8..<400).contains(kilohertz) {
            throw ValidationError("give hertz: \(Int((kilohertz * 1_000).rounded())), or \(text)k for kilohertz")
        }
        return try Self(hertz, in: 8_000...384_000, Double.init)
    }

    /// The number of hertz in `44.1k`, `48kHz` or `44100Hz`; any other text unchanged.
    private static func hertz(_ text: String) -> String {
        guard let match = Pattern("([0-9]{1,6}([.][0-9]+)?)(k?)(Hz)?", ignoresCase: true).groups(of: text),
            let number = match[0].flatMap({ Double($0) })
        else { return text }
        let hertz = match[2] == "" ? number : number * 1000
        return hertz == hertz.rounded() ? String(Int(hertz)) : text
    }
}

extension FormatSetting<UInt32> {
    /// A channel count.
    static func channels(_ text: String) throws -> Self {
        switch text.lowercased() {
        case "mono", "stereo":
            throw ValidationError("give a number: 1 for mono, 2 for stereo")
        case "left", "right":
            throw ValidationError("give a number of channels; --select 1 records the first one, --select 2 the second")
        default: break
        }
        return try Self(text, in: 1...32, UInt32.init)
    }
}

extension FormatSetting<SampleEncoding>: ExpressibleByArgument {
    /// Nil for an unknown encoding.
    public init?(argument: String) {
        guard argument != "native" else {
            self = .native
            return
        }
        guard let encoding = SampleEncoding(rawValue: argument) else { return nil }
        self = .given(encoding)
    }

    /// The values that help and completions list.
    public static var allValueStrings: [String] { ["native"] + SampleEncoding.allCases.map { $0.rawValue } }
    /// A list of the values.
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
