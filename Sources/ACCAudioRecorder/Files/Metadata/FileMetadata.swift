/// A file's metadata: its source and how it was made, its channels, and its start time.
struct FileMetadata {
    let container: Container
    let layout: ChannelLayout
    private let sampleRate: Int
    private let storesStartTime: Bool
    private let encoding: SampleEncoding
    private let tags: [MetadataTag: String]
    private let otherTags: [String: String]
    private let guano: GUANOFields?
    private let sourceDescription: String
    private let sourceSpec: SampleSpec
    /// The program that writes the file.
    let program: RecordingProgram
    /// The quality of sample rate conversion; nil if the rate was not converted.
    private let resamplerQuality: ResamplerQuality?
    /// The inputs that its channels are of; nil if the recording has one.
    private let tracks: TrackList?

    init(_ resolved: ResolvedOutput, context: OutputContext) {
        let (output, form) = (resolved.output, resolved.form)
        container = output.container
        encoding = resolved.encoding
        sampleRate = form.sampleRate
        layout = ChannelLayout(
            of: form.channelMap, in: container, encoding: encoding, keepsOrder: context.keepsChannelOrder)
        (sourceDescription, sourceSpec) = (context.sourceDescription, context.sourceSpec)
        program = context.policies.program
        storesStartTime = output.isBroadcastWave ?? context.policies.session.storesStartTime
        tags = output.tags
        otherTags = output.otherTags
        guano = output.guano
        resamplerQuality = sourceSpec.rate == form.sampleRate ? nil : context.policies.session.quality
        tracks = TrackList(resolved.namedChannels, order: layout.order)
    }

    /// When a file begins; nil if it is not to be stored.
    private func time(start: WallClock, firstFrame: Int) -> BroadcastExtension.Time? {
        storesStartTime ? BroadcastExtension.Time(start: start, frame: firstFrame, rate: form.sampleRate) : nil
    }

    /// The tags of a file: the user's, and those that the recorder adds.
    ///
    /// - Parameters:
    ///   - start: When the first frame of the output was captured.
    ///   - firstFrame: The number of the file's first frame in the output.
    func tags(start: WallClock, firstFrame: Int) -> [MetadataTag: String] {
        let time = container.hasBroadcastInfo ? nil : time(start: start, firstFrame: firstFrame)
        var tags = tags
        let others = otherTags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        tags[.comment] =
            ([tags[.comment]].compactMap(\.self) + others + [origin, channels].compactMap(\.self))
            .joined(separator: "; ")
        if let time, tags[.date] == nil { tags[.date] = time.timestamp }
        if trackList == nil, let text = tracks?.text, let comment = tags[.comment],
            text.utf8.count + tags.values.reduce(0, { $0 + $1.utf8.count }) <= container.traits.largestTags
        {
            tags[.comment] = "\(comment); \(text)"
        }
        return tags.filter { container.tags.contains($0.key) }
    }

    /// The format of the file's frames.
    var form: StreamFormat { StreamFormat(sampleRate: sampleRate, channelMap: layout.map) }

    /// The `bext` chunk of a WAV file, as long whatever the time: what was captured and how it was converted. Nil if there
    /// is none.
    ///
    /// - Parameter loudness: Nil before it is known.
    func broadcastExtension(
        start: WallClock, firstFrame: Int, loudness: BroadcastLoudness? = nil
    ) -> BroadcastExtension? {
        guard hasBroadcastExtension, let time = time(start: start, firstFrame: firstFrame) else { return nil }
        let captured = BroadcastExtension.CodingStep(
            sampleRate: sourceSpec.rate, wordLength: sourceSpec.format.integerBits ?? 24,
            channelCount: sourceSpec.channels,
            text: [program.nameAndVersion, sourceDescription, resampler].compactMap(\.self).joined(separator: "; "))
        // A float has 24 significant bits.
        let written = BroadcastExtension.CodingStep(
            sampleRate: sampleRate, wordLength: encoding.integerBits ?? 24, channelCount: layout.map.count,
            text: Container.soundFileVersion)
        return BroadcastExtension(
            time: time, originator: program.name, description: tags[.title] ?? sourceDescription,
            codingHistory: [captured, written], loudness: loudness)
    }

    /// The `guan` chunk of a WAV file, as long whatever the time and the length. Nil if there is none.
    ///
    /// - Parameters:
    ///   - start: When the first frame of the file was captured.
    ///   - frameCount: The length of the file; nil before it is known.
    func guanoChunk(start: WallClock, frameCount: Int? = nil) -> GUANOChunk? {
        guard container.hasBroadcastInfo, let guano else { return nil }
        return GUANOChunk(start: start, sampleRate: sampleRate, frameCount: frameCount, fields: guano)
    }

    /// Whether there is a `bext` chunk.
    var hasBroadcastExtension: Bool { container.hasBroadcastInfo && storesStartTime }

    /// Whether the format describes other speakers than the channels have. Tracks of several sources are for editors, not for
    /// speakers.
    var misplacesSpeakers: Bool { layout.isMisplaced && tracks == nil }

    /// The `iXML` chunk of a WAV file; nil if there is none.
    var trackList: TrackList? { container.hasBroadcastInfo ? tracks : nil }

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
