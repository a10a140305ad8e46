/// A file's metadata: its source and how it was made, its channels, and its start time.
struct FileMetadata {
    let container: Container
    let layout: ChannelLayout
    private let sampleRate: Int
    private let storesStartTime: Bool
    private let encoding: SampleEncoding
    private let tags: [MetadataTag: String]
    private let otherTags: [String: String]
    private let sourceDescription: String
    private let sourceSpec: SampleSpec
    /// The program that writes the file.
    let program: OutputContext.Program
    /// The quality of sample rate conversion; nil if the rate was not converted.
    private let resamplerQuality: ResamplerQuality?

    /// - Parameters:
    ///   - form: The format of the recording's frames.
    ///   - encoding: The encoding of the samples passed to the container.
    init(
        _ output: RecordingOutput, _ form: StreamFormat, encoding: SampleEncoding, context: OutputContext
    ) {
        container = output.container
        self.encoding = encoding
        sampleRate = form.sampleRate
        layout = ChannelLayout(
            of: form.channelMap, in: container, encoding: encoding, keepsOrder: context.keepsChannelOrder)
        (sourceDescription, sourceSpec) = (context.sourceDescription, context.sourceSpec)
        program = context.program
        storesStartTime = output.isBroadcastWave ?? context.storesStartTime
        tags = output.tags
        otherTags = output.otherTags
        resamplerQuality = sourceSpec.sampleRate == form.sampleRate ? nil : context.resamplerQuality
    }

    /// The tags of a file that begins at this time: the user's, and those that the recorder adds.
    func tags(at time: BroadcastTime?) -> [MetadataTag: String] {
        var tags = tags
        let others = otherTags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        tags[.comment] =
            ([tags[.comment]].compactMap(\.self) + others + [origin, channels].compactMap(\.self))
            .joined(separator: "; ")
        if let time, tags[.date] == nil, !container.hasBroadcastInfo { tags[.date] = time.timestamp }
        return tags.filter { container.tags.contains($0.key) }
    }

    /// When the frame was captured with which a file begins; nil if files do not store that.
    ///
    /// - Parameters:
    ///   - start: When the first frame of the output was captured.
    ///   - frame: The number of the file's first frame in the output.
    func startTime(ofFrame frame: Int, start: WallClock) -> BroadcastTime? {
        storesStartTime ? BroadcastTime(start: start, frame: frame, rate: form.sampleRate) : nil
    }

    /// The format of the file's frames.
    var form: StreamFormat { StreamFormat(sampleRate: sampleRate, channelMap: layout.map) }

    /// The `bext` chunk of a WAV file: what was captured and how it was converted.
    func broadcastExtension(at time: BroadcastTime) -> BroadcastExtension {
        let captured = CodingStep(
            sampleRate: sourceSpec.sampleRate, wordLength: sourceSpec.format.integerBits ?? 24,
            channelCount: sourceSpec.channelCount,
            text: [program.nameAndVersion, sourceDescription, resampler].compactMap(\.self).joined(separator: "; "))
        // A float has 24 significant bits.
        let written = CodingStep(
            sampleRate: sampleRate, wordLength: encoding.integerBits ?? 24, channelCount: layout.map.channelCount,
            text: SoundFileLibrary.version)
        return BroadcastExtension(
            time: time, originator: program.name, description: tags[.title] ?? sourceDescription,
            codingHistory: [captured, written])
    }

    private var origin: String {
        // A server's description of a source may have any length.
        let source = String(sourceDescription.unicodeScalars.prefix(256))
        let text = "recorded by \(program.nameAndVersion) from '\(source)' (\(sourceSpec))"
        return resampler.map { "\(text), \($0)" } ?? text
    }

    private var resampler: String? {
        resamplerQuality.map { "converted to \(form.sampleRate) Hz by libsamplerate (\($0))" }
    }

    /// The positions as text, for a container that has no other place for them.
    private var channels: String? {
        layout.marking == .unknown ? "Channels: \(layout.map)" : nil
    }
}
