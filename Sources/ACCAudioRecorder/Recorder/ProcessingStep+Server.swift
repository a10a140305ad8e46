// What the server does to samples, as far as it says.

extension ProcessingStep {
    /// The server's processing of a source.
    static func ofServer(source: AudioSource) -> [ProcessingStep] {
        var processingSteps: [ProcessingStep] = []
        if source.isMuted || source.sink?.isMonitorMuted == true { processingSteps.append(.muted) }
        if !source.volume.isUnity { processingSteps.append(.sourceVolume(source.volume)) }
        if let sink = source.sink, sink.changesMonitor {
            let isCertain = sink.volumeEffect == .applied
            processingSteps.append(isCertain ? .sinkVolume(sink.volume) : .perhapsSinkVolume(sink.volume))
        }
        if source.isFilter { processingSteps.append(.filtered) }
        let rate = source.sampleSpec.sampleRate
        if let graph = source.graphRate, graph != rate {
            processingSteps.append(.perhapsResampledByGraph(from: rate, graph: graph))
        }
        return processingSteps
    }

    /// The server's processing of the recorder's stream.
    static func ofServer(stream: RecordStream) -> [ProcessingStep] {
        var processingSteps: [ProcessingStep] = []
        if stream.isMuted { processingSteps.append(.muted) }
        if let volume = stream.volume, !volume.isUnity { processingSteps.append(.streamVolume(volume)) }
        if let method = stream.resampleMethod { processingSteps.append(.resampledByServer(method: method)) }
        return processingSteps
    }
}
