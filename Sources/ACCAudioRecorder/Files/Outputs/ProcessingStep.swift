/// Something that changed samples between the source and an output. An output without any is bit-exact.
@nonexhaustive
public enum ProcessingStep: Sendable, Hashable, Codable {
    /// Channels were mixed.
    case mixed(from: UInt32, to: UInt32)
    /// The sample rate was converted; rates in Hz.
    case resampled(from: Double, to: Double)
    /// The encoding cannot hold the source's samples exactly.
    case requantised(from: SampleFormat, to: SampleEncoding)
    /// The container is lossy.
    case compressed(Container)
    /// Samples that were not finite were replaced.
    case nonFiniteReplaced
    /// The server applied the source's volume.
    case sourceVolume(SourceVolume)
    /// The server applied the volume of the sink whose monitor was recorded.
    case sinkVolume(SourceVolume)
    /// The volume of the sink whose monitor was recorded may have been applied: the server applies what the device's
    /// volume steps cannot represent, and does not say how much that is.
    case perhapsSinkVolume(SourceVolume)
    /// The server applied the stream's volume.
    case streamVolume(SourceVolume)
    /// The server muted the source, the sink whose monitor it is, or the stream.
    case muted
    /// Several streams of an application played at once, and were added.
    case streamsMixed
    /// All inputs but the first were resampled to its clock, and rate.
    case inputsResampled
    /// Several inputs were added.
    case inputsAdded
    /// One of several inputs at least was amplified.
    case inputsAmplified
    /// One of an application's streams was missing for a while.
    case streamMissing
    /// The source is a filter: the server makes it from another source.
    case filtered
    /// The server resampled the stream, with this method.
    case resampledByServer(method: String)
    /// PipeWire's graph may have resampled: its default rate is not the source's (both in Hz). It may have adapted,
    /// which it does not report.
    case perhapsResampledByGraph(from: Double, graph: Double)
    /// Whatever the recorder did: it was killed before it could report.
    case unreported

    private enum CodingKeys: String, CodingKey {
        case mixed, resampled, requantised, compressed, muted, filtered, unreported
        case nonFiniteReplaced = "non_finite_replaced"
        case sourceVolume = "source_volume"
        case sinkVolume = "sink_volume"
        case perhapsSinkVolume = "perhaps_sink_volume"
        case streamsMixed = "streams_mixed"
        case inputsResampled = "inputs_resampled"
        case inputsAdded = "inputs_added"
        case inputsAmplified = "inputs_amplified"
        case streamMissing = "stream_missing"
        case streamVolume = "stream_volume"
        case resampledByServer = "resampled_by_server"
        case perhapsResampledByGraph = "perhaps_resampled_by_graph"
    }

    private enum CompressedCodingKeys: String, CodingKey { case _0 = "container" }
    private enum SourceVolumeCodingKeys: String, CodingKey { case _0 = "volume" }
    private enum SinkVolumeCodingKeys: String, CodingKey { case _0 = "volume" }
    private enum PerhapsSinkVolumeCodingKeys: String, CodingKey { case _0 = "volume" }
    private enum StreamVolumeCodingKeys: String, CodingKey { case _0 = "volume" }
}

extension ProcessingStep {
    /// The steps of the recorder's own conversion from a source to an output.
    ///
    /// - Parameter captured: The captured format.
    static func ofConversion(
        from format: SampleFormat, _ captured: StreamFormat, to resolved: ResolvedOutput
    ) -> [ProcessingStep] {
        let (form, encoding, container) = (resolved.form, resolved.encoding, resolved.output.container)
        var processingSteps: [ProcessingStep] = []
        if captured.channelCount != form.channelCount {
            processingSteps.append(.mixed(from: captured.channelMap.channelCount, to: form.channelMap.channelCount))
        }
        if captured.sampleRate != form.sampleRate {
            processingSteps.append(.resampled(from: Double(captured.sampleRate), to: Double(form.sampleRate)))
        }
        if !encoding.holds(format) { processingSteps.append(.requantised(from: format, to: encoding)) }
        if container.isLossy { processingSteps.append(.compressed(container)) }
        return processingSteps
    }
}

extension ProcessingStep {
    /// Whether the step certainly happened, rather than possibly.
    public var isCertain: Bool {
        switch self {
        case .perhapsResampledByGraph, .perhapsSinkVolume, .unreported: false
        default: true
        }
    }
}

extension ProcessingStep: CustomStringConvertible {
    /// Human-readable: `resampled from 48000 to 44100 Hz`.
    public var description: String {
        switch self {
        case .mixed(let from, let to): "\(from) channel\(from == 1 ? "" : "s") mixed to \(to)"
        case .resampled(let from, let to): "resampled from \(from.plain) to \(to.plain) Hz"
        case .requantised(let from, let to): "\(from.pulseName) stored as \(to)"
        case .compressed(let container): "\(container) is lossy"
        case .nonFiniteReplaced: "non-finite samples replaced"
        case .sourceVolume(let volume): "source volume \(volume)"
        case .sinkVolume(let volume): "sink volume \(volume)"
        case .perhapsSinkVolume(let volume):
            "sink volume \(volume), partly applied by the server"
        case .streamVolume(let volume): "stream volume \(volume)"
        case .muted: "muted by the server"
        case .streamsMixed: "several streams of the application added"
        case .inputsResampled: "sources resampled to the clock of the first"
        case .inputsAdded: "several sources added"
        case .inputsAmplified: "a source amplified"
        case .streamMissing: "one stream of the application missing for a while"
        case .filtered: "the source is a filter"
        case .resampledByServer(let method): "resampled by the server (\(method))"
        case .perhapsResampledByGraph(let rate, let graph):
            "possibly resampled by PipeWire from \(rate.plain) to \(graph.plain) Hz"
        case .unreported: "unknown, since the recorder was killed"
        }
    }
}
