/// The destination and format of a recording.
///
/// In JSON an output is an object with its `path`, `pattern` or `descriptor`, `container`, `encoding`, `sample_rate`,
/// `channels` and, if it has the channels of one input only, `input`. A decoded output has the defaults of everything else.
public struct RecordingOutput: Sendable, Hashable {
    /// A file or an open descriptor.
    @nonexhaustive
    public enum Destination: Sendable, Hashable {
        /// A file to create at this path.
        case file(path: String)
        /// A file to create at a path with placeholders, such as for the time or the source.
        case pattern(FilePattern)
        /// A descriptor open for writing, such as standard output's 1. Frames are written to it as they arrive, and it
        /// is left open at the end.
        case descriptor(Int32)
    }

    /// The destination of the frames.
    public var destination: Destination
    /// The name of the input whose channels it has, where a recording has several as tracks; nil for all.
    public var input: String?
    /// The file format. A descriptor requires one that can be read while it is written: `Container.isStreamable`.
    public var container: Container
    /// The rate, the channels and the encoding; what is not set is the recording's, which its mode decides unless it is set. A
    /// lossy container has no encoding.
    public var format = FormatSettings()
    /// The strength of compression; nil for the container's default.
    public var compression: Compression?
    /// The text tags; `Container.tags` gives those that the container supports. The recorder adds to the comment what
    /// the file is a recording of and how it was made.
    public var tags: [MetadataTag: String] = [:]
    /// Further tags with arbitrary keys. libsndfile cannot write these as tags, so they are written to the comment as
    /// `KEY=text`.
    public var otherTags: [String: String] = [:]
    /// Whether the file states its start time to the frame: in the `bext` chunk of a WAV file (EBU Tech 3285), or in
    /// the date tag of other containers. Nil for the session mode's default; true is valid only if
    /// `Container.hasBroadcastInfo`.
    public var isBroadcastWave: Bool?
    /// What to state in a `guan` chunk (GUANO 1.0) beside when each file begins and how long it is; nil for no chunk. Valid
    /// only if `Container.hasBroadcastInfo`.
    public var guano: GUANOFields?
    /// Whether to add triangular dither when converted samples are reduced to 8, 16 or 24 bits. Samples that were not
    /// converted are never dithered, nor is digital silence: a channel from its beginning to its first sound, and after 1024
    /// samples of zero.
    public var isDithered: Bool
    /// Whether to replace an existing file, once the new one is complete. Otherwise an existing file is an error.
    public var replacesExisting: Bool
    /// Of existing files, those that it may replace, for a program that asks for its own ones only; nil for any.
    package var replaceable: Set<FileVersion>?
    /// The interval at which a file is synced to its disk, and so the most that a power cut loses; zero to
    /// leave syncing to the system. A separate thread does it, so nothing waits. At the end, the file is synced before
    /// it is moved to its final path, and its directory after that.
    public var syncInterval: Duration
    /// Whether to create missing directories of the path.
    public var makesDirectories: Bool
    /// How much audio may wait in memory because the disk or reader is slow; at most 256 MiB except with `OverflowPolicy.wait`.
    /// Greater than zero, of which at least 0.1 s counts; a minute by default.
    public var longestDelay = Duration.seconds(60)
    /// What happens if the output falls further behind; `drop` by default.
    public var overflowPolicy = OverflowPolicy.drop

    /// The path of the file while this process writes it: a hidden file in the same directory if it is to replace
    /// another. Nil for a descriptor, a named pipe and a device, and for a pattern, whose path ``RecordingEvent``
    /// reports.
    public var pathWhileWritten: String? {
        guard case .file(let path) = destination, !OutputPlace.isStream(path) else { return nil }
        return AtomicFile.writingPath(for: path, replacesExisting: replacesExisting)
    }

    /// Whether it may replace what is at this path now, unless that is one of its own files: nothing, or a regular file
    /// that no recording is writing.
    func mayReplace(_ path: String) -> Bool {
        let target = AtomicFile.target(of: path)
        return CreatedFile.Older(path: path, target: target, replaceable: replaceable).permits(target)
    }

    /// Creates an output. The encoding is ignored for a lossy container.
    public init(
        _ destination: Destination, container: Container, encoding: SampleEncoding? = nil,
        compression: Compression? = nil, sampleRate: Double? = nil, channelCount: UInt32? = nil,
        isDithered: Bool = true, replacesExisting: Bool = false, makesDirectories: Bool = false,
        syncInterval: Duration = .seconds(1)
    ) {
        self.destination = destination
        self.container = container
        self.compression = compression
        self.isDithered = isDithered
        self.replacesExisting = replacesExisting
        self.syncInterval = syncInterval
        self.makesDirectories = makesDirectories
        format = FormatSettings(
            sampleRate: .init(sampleRate), channelCount: .init(channelCount),
            encoding: .init(container.isLossy ? nil : encoding))
    }

    /// Creates a file output whose extension determines its container (`.wav`, `.flac`, `.opus` …) unless one is given.
    /// The encoding is ignored for a lossy container.
    ///
    /// - Throws: `outputFailed` if no container is given and the extension is unknown.
    public init(
        path: String, container: Container? = nil, encoding: SampleEncoding? = nil, compression: Compression? = nil,
        sampleRate: Double? = nil, channelCount: UInt32? = nil, isDithered: Bool = true,
        replacesExisting: Bool = false, makesDirectories: Bool = false, syncInterval: Duration = .seconds(1)
    ) throws(ACCAudioRecorderError) {
        guard let container = container ?? Container(path: path) else {
            let known = Container.allCases.flatMap(\.fileExtensions).map { "." + $0 }.joined(separator: ", ")
            throw .outputFailed(
                .init(
                    .invalidFormat, "cannot tell the format of '\(path)'", cause: "its extension is unknown",
                    remedy: "Use one of \(known), or choose a format."))
        }
        self.init(
            .file(path: path), container: container, encoding: encoding, compression: compression,
            sampleRate: sampleRate, channelCount: channelCount, isDithered: isDithered,
            replacesExisting: replacesExisting, makesDirectories: makesDirectories, syncInterval: syncInterval)
    }
}

extension RecordingOutput: Codable {
    private enum Key: String, CodingKey {
        case path, pattern, descriptor, container, encoding, channels, input
        case sampleRate = "sample_rate"
    }

    /// Encodes the destination and the format.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch destination {
        case .file(let path): try container.encode(path, forKey: .path)
        case .pattern(let pattern): try container.encode(pattern.template, forKey: .pattern)
        case .descriptor(let number): try container.encode(number, forKey: .descriptor)
        }
        try container.encode(self.container, forKey: .container)
        try container.encodeIfPresent(format.encoding.value, forKey: .encoding)
        try container.encodeIfPresent(format.sampleRate.value, forKey: .sampleRate)
        try container.encodeIfPresent(format.channelCount.value, forKey: .channels)
        try container.encodeIfPresent(input, forKey: .input)
    }

    /// Decodes the destination and the format.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let destination: Destination
        if let path = try container.decodeIfPresent(String.self, forKey: .path) {
            destination = .file(path: path)
        } else if let pattern = try container.decodeIfPresent(String.self, forKey: .pattern) {
            destination = .pattern(try FilePattern(pattern))
        } else {
            destination = .descriptor(try container.decodeIfPresent(Int32.self, forKey: .descriptor) ?? 1)
        }
        self.init(
            destination, container: try container.decode(Container.self, forKey: .container),
            encoding: try container.decodeIfPresent(SampleEncoding.self, forKey: .encoding),
            sampleRate: try container.decodeIfPresent(Double.self, forKey: .sampleRate),
            channelCount: try container.decodeIfPresent(UInt32.self, forKey: .channels))
        input = try container.decodeIfPresent(String.self, forKey: .input)
    }
}

extension RecordingOutput.Destination: CustomStringConvertible {
    /// The path or pattern in quotes, "standard output", or the number of another descriptor.
    public var description: String {
        switch self {
        case .file(let path): "'\(path)'"
        case .pattern(let pattern): "'\(pattern.template)'"
        case .descriptor(1): "standard output"
        case .descriptor(let number): "descriptor \(number)"
        }
    }
}

/// What happens to an output that is too far behind.
@nonexhaustive
public enum OverflowPolicy: String, Sendable, Hashable, CaseIterable, Codable {
    /// Its queue in memory grows without a limit.
    case wait
    /// Frames are dropped for this output, and the gap is reported.
    case drop
    /// The output ends; what was written is kept, and the other outputs continue.
    case stop
}

/// The channels of one of several inputs in a recording.
struct TrackChannels: Sendable, Hashable {
    /// The channels of the recording, counted from 1.
    let numbers: [Int]
    /// Their positions.
    let map: ChannelMap
}

/// A channel of a file, of a recording that has several inputs as tracks.
struct NamedChannel: Sendable, Hashable {
    /// Its number in the recording, counted from 1.
    let number: Int
    let name: String
}

/// An output of a recording with all its settings: its own, else the recording's, else the source's.
package struct ResolvedOutput: Sendable {
    /// The output, with everything filled in. Only a lossy container leaves the encoding nil.
    let output: RecordingOutput
    /// The format of its frames.
    let form: StreamFormat
    /// The channels that it has; nil for all.
    let track: TrackChannels?
    /// Its channels, where the recording has several inputs as tracks; empty where not, and if it mixes them.
    let namedChannels: [NamedChannel]

    /// The number of bytes that a second takes without compression.
    package var bytesPerSecond: Int { form.sampleRate * form.channelCount * encoding.bytesPerSample }

    /// The encoding of the samples passed to the container.
    var encoding: SampleEncoding { output.format.encoding.value ?? .f32 }

    /// Fills in what the source decides.
    ///
    /// - Parameters:
    ///   - output: The output, with what the recording decides filled in.
    ///   - captured: The captured format.
    ///   - format: The format of the source's samples.
    ///   - track: The channels of the output; nil for all.
    ///   - channelNames: The names of the recording's channels; empty for a recording of one input.
    init(
        _ output: RecordingOutput, from captured: StreamFormat, _ format: SampleFormat, track: TrackChannels? = nil,
        channelNames: [String] = []
    ) {
        self.track = track
        var output = output
        if track != nil, output.format.channelCount.value == nil { output.format.channelCount = .native }
        form = output.format.form(
            from: StreamFormat(
                sampleRate: output.container.sampleRate(holding: captured.sampleRate),
                channelMap: track?.map ?? captured.channelMap))
        output.format = FormatSettings(
            sampleRate: .given(Double(form.sampleRate)), channelCount: .given(UInt32(form.channelCount)),
            encoding: .init(
                output.container.isLossy ? nil : output.format.encoding.value ?? output.encoding(of: format)))
        self.output = output
        if let track, let input = output.input {
            // Also of a track whose channels the file mixes.
            namedChannels = form.channelMap.names(ofTrack: input).enumerated().map {
                NamedChannel(number: track.numbers[min($0, track.numbers.count - 1)], name: $1)
            }
        } else {
            namedChannels =
                channelNames.count == form.channelCount
                ? channelNames.enumerated().map { NamedChannel(number: $0 + 1, name: $1) } : []
        }
    }
}

extension RecordingOutput {
    /// The encoding for a source of this format, where none is given: what holds its samples, or the nearest that the container
    /// has.
    fileprivate func encoding(of format: SampleFormat) -> SampleEncoding {
        let exact = SampleEncoding(holding: format)
        let isSufficient = self.format.encoding == .sufficient
        let wanted: SampleEncoding = !isSufficient ? exact : format.integerBits.map { $0 <= 16 } ?? false ? .s16 : .s24
        let possible = container.encodings
        if possible.contains(wanted) { return wanted }
        let integers = possible.filter { $0.integerBits != nil }
        return integers.first { $0.integerBits ?? 0 >= format.integerBits ?? .max } ?? integers.last ?? wanted
    }
}

extension Container {
    /// The lowest rate that the container has and that holds all of a source's sound, in Hz; its highest one, if there is none.
    fileprivate func sampleRate(holding rate: Int) -> Int {
        guard let rates = traits.sampleRates else { return rate }
        return rates.first { $0 >= rate } ?? rates.last ?? rate
    }
}

extension ResolvedOutput: CustomStringConvertible {
    /// In short: `44100 Hz 1 ch s16 wav`, `48000 Hz 2 ch opus`.
    package var description: String {
        let encoding = output.format.encoding.value.map { " \($0.rawValue)" } ?? ""
        return "\(form.sampleRate) Hz \(form.channelCount) ch\(encoding) \(output.container)"
    }
}
