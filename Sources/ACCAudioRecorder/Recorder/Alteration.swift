/// Something that changed samples between the source and an output. Without any the output is bit-exact.
public enum Alteration: Sendable, Hashable {
    /// Channels were mixed.
    case mixed(from: Int, to: Int)
    /// The rate was converted, in Hz.
    case resampled(from: Int, to: Int)
    /// The encoding does not hold the source's samples as they are.
    case requantised(from: SampleFormat, to: SampleEncoding)
    /// The container is lossy.
    case compressed(Container)
    /// The server applied the source's volume.
    case sourceVolume(SourceVolume)
    /// The server applied the volume of the sink whose monitor was recorded.
    case sinkVolume(SourceVolume)
    /// The sink whose monitor was recorded has this volume, of which the server does what its device cannot, and it does
    /// not tell how much that is.
    case perhapsSinkVolume(SourceVolume)
    /// The server applied the stream's volume.
    case streamVolume(SourceVolume)
    /// The server replaced samples by silence: the source, the sink whose monitor it is, or the stream was muted.
    case muted
    /// The source is a filter: the server made it of another.
    case filtered
    /// The server resampled the stream, with this method.
    case resampledByServer(method: String)
    /// The source runs at this rate, and PipeWire's graph by default at another, in Hz: it resamples what passes through,
    /// unless it has adapted, which it does not tell.
    case perhapsResampledByGraph(from: Int, graph: Int)
}

extension Alteration {
    /// What the recorder itself does on the way from a source to an output.
    ///
    /// - Parameters:
    ///   - captured: The channels of the source that are recorded.
    static func ofConversion(
        from format: SampleFormat, _ captured: FrameForm, to encoding: SampleEncoding, _ form: FrameForm
    ) -> [Alteration] {
        var alterations: [Alteration] = []
        if captured.channelCount != form.channelCount {
            alterations.append(.mixed(from: captured.channelCount, to: form.channelCount))
        }
        if captured.sampleRate != form.sampleRate {
            alterations.append(.resampled(from: captured.sampleRate, to: form.sampleRate))
        }
        if !encoding.holds(format) { alterations.append(.requantised(from: format, to: encoding)) }
        return alterations
    }

    /// What the server does to a source.
    static func ofServer(source: AudioSource) -> [Alteration] {
        var alterations: [Alteration] = []
        if source.isMuted || source.sink?.isMonitorMuted == true { alterations.append(.muted) }
        if !source.volume.isUnity { alterations.append(.sourceVolume(source.volume)) }
        if let sink = source.sink, sink.changesMonitor {
            let isCertain = sink.volumeEffect == .applied
            alterations.append(isCertain ? .sinkVolume(sink.volume) : .perhapsSinkVolume(sink.volume))
        }
        if source.isFilter { alterations.append(.filtered) }
        let rate = source.sampleSpec.sampleRate
        if let graph = source.graphRate, graph != rate {
            alterations.append(.perhapsResampledByGraph(from: rate, graph: graph))
        }
        return alterations
    }

    /// What the server does to the recorder's stream.
    static func ofServer(stream: SourceOutput) -> [Alteration] {
        var alterations: [Alteration] = []
        if stream.isMuted { alterations.append(.muted) }
        if let volume = stream.volume, !volume.isUnity { alterations.append(.streamVolume(volume)) }
        if let method = stream.resampleMethod { alterations.append(.resampledByServer(method: method)) }
        return alterations
    }
}

extension Alteration {
    /// Whether it is known to have happened, rather than possible.
    public var isCertain: Bool {
        switch self {
        case .perhapsResampledByGraph, .perhapsSinkVolume: false
        default: true
        }
    }
}

extension Alteration: CustomStringConvertible {
    /// For people, after "because": `the rate was converted from 48000 to 44100 Hz`.
    public var description: String {
        switch self {
        case .mixed(let from, let to): "\(from) channel\(from == 1 ? " was" : "s were") mixed to \(to)"
        case .resampled(let from, let to): "the rate was converted from \(from) to \(to) Hz"
        case .requantised(let from, let to): "\(to) does not hold \(from.pulseName) as it is"
        case .compressed(let container): "\(container) is lossy"
        case .sourceVolume(let volume): "the source's volume was \(volume)"
        case .sinkVolume(let volume): "the sink's volume was \(volume)"
        case .perhapsSinkVolume(let volume):
            "the sink's volume was \(volume), of which the server did what the device could not"
        case .streamVolume(let volume): "the volume of the recording's stream was \(volume)"
        case .muted: "the server muted it"
        case .filtered: "the source is a filter of the server"
        case .resampledByServer(let method): "the server resampled it (\(method))"
        case .perhapsResampledByGraph(let rate, let graph):
            "PipeWire's graph may run at \(graph) Hz and resample from \(rate) Hz"
        }
    }
}
