/// What a file says of itself besides its samples: what it is a recording of and how it was made, what its channels are,
/// and when it begins.
struct FileLabels {
    let container: Container
    let form: FrameForm
    let storesStartTime: Bool
    private let tags: [MetadataTag: String]
    private let otherTags: [String: String]
    private let source: AudioSource
    /// How well the rate was converted, where it was.
    private let resamplerQuality: ResamplerQuality?

    init(
        _ output: RecordingOutput, _ form: FrameForm, source: AudioSource,
        configuration: ACCAudioRecorder.Configuration
    ) {
        container = output.container
        self.form = form
        self.source = source
        storesStartTime = output.isBroadcastWave ?? configuration.audioSessionMode.storesStartTime
        tags = output.tags
        otherTags = output.otherTags
        self.resamplerQuality = source.sampleSpec.sampleRate == form.sampleRate ? nil : configuration.resamplerQuality
    }

    /// The tags of a file that begins at that time: the user's, and what is known besides.
    func tags(at time: BroadcastTime?) -> [MetadataTag: String] {
        var tags = tags
        let others = otherTags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        tags[.comment] =
            ([tags[.comment]].compactMap(\.self) + others + [origin, channels].compactMap(\.self))
            .joined(separator: "; ")
        if let time, tags[.date] == nil { tags[.date] = time.timestamp }
        return tags.filter { container.tags.contains($0.key) }
    }

    /// What a `bext` chunk says in its description.
    var description: String { tags[.title] ?? source.description }

    /// What was captured, as a line of a `bext` chunk's coding history (EBU R 98), to which libsndfile adds what it writes.
    var codingHistory: String {
        let spec = source.sampleSpec
        let mode = spec.channelCount == 1 ? "mono" : spec.channelCount == 2 ? "stereo" : "\(spec.channelCount)chn"
        let text = [program, source.description, resampler].compactMap(\.self).joined(separator: "; ")
        let plain = text.map { $0.isASCII && $0 != "," ? String($0) : " " }.joined()
        return "A=PCM,F=\(spec.sampleRate),W=\(spec.format.integerBits ?? 24),M=\(mode),T=\(plain.prefix(160))\r\n"
    }

    /// Who has written the file.
    var program: String { "accrec \(ACCAudioRecorder.version)" }

    private var origin: String {
        let text = "recorded by \(program) from '\(source.description)' (\(source.sampleSpec))"
        return resampler.map { "\(text), \($0)" } ?? text
    }

    private var resampler: String? {
        resamplerQuality.map { "converted to \(form.sampleRate) Hz by libsamplerate (\($0))" }
    }

    /// The positions in words, where the container has no place for them of its own.
    private var channels: String? {
        container.hasPlace(for: form.channelMap) ? nil : "Channels: \(form.channelMap)"
    }
}
