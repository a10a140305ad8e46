/// An application as the source of a recording.
extension AudioSource {
    /// What is known of an application that may not play yet.
    ///
    /// - Parameters:
    ///   - requested: As the configuration specifies it; the source's name.
    ///   - monitor: The monitor of a sink that it plays to, or probably will: the format to capture in.
    init(application requested: String, _ choice: ApplicationSelection.Choice?, as monitor: AudioSource) {
        let spec = SampleSpec(
            format: monitor.sampleSpec.format.forMixing, sampleRate: monitor.sampleSpec.sampleRate,
            channelCount: monitor.sampleSpec.channelCount)
        self.init(
            id: choice?.streams.first?.index ?? 0, name: requested,
            description: choice?.owner.displayName ?? requested, sampleSpec: spec, channelMap: monitor.channelMap,
            isDefault: false, kind: .application)
        graphRate = monitor.graphRate
        if let choice { update(to: choice) }
    }

    /// Updates what the streams of an application say.
    mutating func update(to choice: ApplicationSelection.Choice) {
        // PipeWire states 0 % for a new stream until it plays.
        let streams = choice.streams.filter { !$0.isPaused }
        let volume = streams.lazy.compactMap(\.volume).first { !$0.isUnity }
        var source = AudioSource(
            id: streams.first?.index ?? id, name: name, description: choice.owner.displayName, sampleSpec: sampleSpec,
            channelMap: channelMap, isDefault: false, kind: .application,
            state: streams.isEmpty ? .idle : .running,
            isMuted: !streams.isEmpty && streams.allSatisfy(\.isMuted), volume: volume)
        source.graphRate = graphRate
        self = source
    }
}

extension ProcessingStep {
    /// What the server does to the streams of an application before they are captured.
    static func ofServer(playing streams: [ApplicationStream], capturedAs source: AudioSource) -> [ProcessingStep] {
        let playing = streams.filter { !$0.isPaused }
        var steps: [ProcessingStep] = playing.count > 1 ? [.streamsMixed] : []
        for stream in playing {
            if let method = stream.resampleMethod { steps.append(.resampledByServer(method: method)) }
            guard let spec = stream.sampleSpec else { continue }
            if spec.channelCount != source.sampleSpec.channelCount {
                steps.append(.mixed(from: spec.channelCount, to: source.sampleSpec.channelCount))
            }
            if let graph = source.graphRate, graph != spec.sampleRate {
                steps.append(.perhapsResampledByGraph(from: spec.sampleRate, graph: graph))
            }
        }
        return steps
    }
}
