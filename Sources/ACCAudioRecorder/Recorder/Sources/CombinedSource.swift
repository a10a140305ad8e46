// What stands for the inputs of a recording that has several.

extension AudioSource {
    /// A source that stands for several, which are recorded together.
    ///
    /// - Parameters:
    ///   - names: Those of the inputs.
    ///   - forms: The rate, and the channels of each input.
    ///   - isExact: Whether the stream has their samples unchanged.
    init(
        combining sources: [AudioSource], named names: [String], _ forms: [StreamFormat], _ layout: InputLayout,
        isExact: Bool
    ) {
        let map: ChannelMap
        var channelNames: [String] = []
        switch layout {
        case .mix: map = forms[0].channelMap
        case .tracks:
            channelNames = zip(names, forms).flatMap { $1.channelMap.names(ofTrack: $0) }
            let count = forms.reduce(0) { $0 + $1.channelCount }
            // One to the left and one to the right; others are on no loudspeaker.
            map =
                count == 2
                ? .standard(channelCount: 2)
                : ChannelMap((0..<count).map { .auxiliary($0) })
        }
        self.init(
            name: names.joined(separator: "+"), description: sources.map(\.description).joined(separator: " + "),
            sampleSpec: SampleSpec(
                format: isExact && layout == .tracks ? .holding(sources.map(\.sampleSpec.format)) : .float32LE,
                rate: forms[0].sampleRate, channels: map.count), channelMap: map)
        self.channelNames = channelNames
        var first = 1
        parts = zip(sources, forms).map { source, form in
            defer { if layout == .tracks { first += form.channelCount } }
            return Part(channels: Array(first..<first + form.channelCount), isPlayed: source.isPlayed)
        }
    }

    /// A source that is not there, as it would be if it came with the channels that are asked for.
    init(absent name: String, _ configuration: ACCAudioRecorder.Configuration) {
        let asked = configuration.effectiveFormat.channelCount.value.map { Int($0) }
        let count = configuration.channels.numbers.isEmpty ? asked ?? 1 : configuration.channels.numbers.count
        self.init(
            name: name,
            sampleSpec: SampleSpec(
                format: .s16LE, rate: Int(configuration.sampleRate), channels: count))
    }

    /// Whether its clock is that of another source: it is the other one, or the monitor of the same sink.
    func sharesClock(with other: AudioSource) -> Bool {
        name == other.name || sinkIndex != nil && sinkIndex == other.sinkIndex
    }
}

extension SampleFormat {
    /// The format of a stream that has samples of all these without loss.
    fileprivate static func holding(_ formats: [SampleFormat]) -> SampleFormat {
        guard !formats.contains(where: { $0.integerBits == nil }) else { return .float32LE }
        return formats.contains { $0.integerBits ?? 0 > 16 } ? .s32LE : .s16LE
    }
}
