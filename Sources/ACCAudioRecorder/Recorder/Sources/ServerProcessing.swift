import Synchronization

/// What the server does to a recording's samples before they are captured: volume, mute, port, filters and resampling,
/// of the source, its sink and the recording's stream.
final class ServerProcessing: Sendable {
    private struct State {
        var source: AudioSource
        /// The index of the recording's stream at the server.
        var streamIndex: UInt32?
        var isStreamMuted = false
        var processingSteps: [ProcessingStep] = []
    }

    /// How long a stated volume must persist: PipeWire states 0 % for a new stream until it knows the volume.
    private static let settlingTime = Duration.milliseconds(100)

    private let state: Mutex<State>
    private let connection: any CaptureConnection
    private let warnsOfProcessing: Bool
    private let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings
    private let noteMute: @Sendable (_ isMuted: Bool, AudioSource) -> Void

    /// - Parameters:
    ///   - warnsOfProcessing: Whether to warn of everything that changes samples.
    ///   - noteMute: Called whenever it is known whether the source is muted.
    init(
        of source: AudioSource, connection: any CaptureConnection, warnsOfProcessing: Bool,
        broadcast: RecordingBroadcast, warnings: RecordingWarnings,
        noteMute: @escaping @Sendable (_ isMuted: Bool, AudioSource) -> Void
    ) {
        state = Mutex(State(source: source))
        self.connection = connection
        self.warnsOfProcessing = warnsOfProcessing
        self.broadcast = broadcast
        self.warnings = warnings
        self.noteMute = noteMute
    }

    /// The source, as the server last described it.
    var source: AudioSource { state.withLock { $0.source } }

    /// The server's processing steps so far.
    var processingSteps: [ProcessingStep] { state.withLock { $0.processingSteps } }

    /// The source as it is now; nil if it is gone or the server does not answer: the capture notices a broken
    /// connection by itself.
    func currentSource(_ index: UInt32) async -> AudioSource? {
        try? await connection.source(index: index, named: source.name)
    }

    /// Updates the source after it came back, perhaps with another index.
    func update(to source: AudioSource) {
        state.withLock { $0.source = source }
    }

    /// Updates an application whose streams may have changed.
    func update(to choice: ApplicationSelection.Choice) {
        let source = state.withLock { state in
            state.source.update(to: choice)
            return state.source
        }
        inspect(source)
        tellMute()
        record(ProcessingStep.ofServer(playing: choice.streams, capturedAs: source))
    }

    /// Updates the index of the recording's stream, which is another one whenever an application plays again.
    func update(stream index: UInt32?) {
        state.withLock { $0.streamIndex = index }
    }

    /// Follows this input, which now captures the recording.
    func follow(_ input: any CaptureInput, stream: UInt32?) {
        state.withLock { state in
            state.streamIndex = stream
            state.isStreamMuted = false
        }
        inspect(input.source)
        if input.source.isSilenced { tellMute() }
    }

    /// Inspects the source again after it, or its sink, has changed.
    func sourceChanged() async {
        guard let current = await currentSource(source.id) else { return }
        let port = state.withLock { state in
            defer { state.source = current }
            return state.source.port
        }
        // The source is the same, but may now hear something else.
        if current.port != port { broadcast.events.send(.portChanged(current)) }
        inspect(current)
        tellMute()
    }

    /// Inspects a stream that is new or has changed, if it is the recording's.
    func streamChanged(_ index: UInt32) async {
        guard var stream = await currentStream(index) else { return }
        if !ProcessingStep.ofServer(stream: stream).isEmpty {
            // The server sends no further event if what it stated first was already correct.
            try? await Task.sleep(for: Self.settlingTime)
            guard let settled = await currentStream(index) else { return }
            stream = settled
        }
        record(ProcessingStep.ofServer(stream: stream))
        state.withLock { $0.isStreamMuted = stream.isMuted }
        if stream.isMuted { warnings.send(.streamMuted(stream.index)) }
        tellMute()
    }

    /// The recording's stream, if it has this index and is on the source.
    private func currentStream(_ index: UInt32) async -> RecordStream? {
        let (source, streamIndex) = state.withLock { ($0.source, $0.streamIndex) }
        // Only the recording's own stream is queried: with many recordings at once, each gets events for all the
        // others.
        guard streamIndex == index, let stream = try? await connection.recordStream(index),
            stream.sourceIndex == source.id || source.kind == .application
        else { return nil }
        return stream
    }

    private func tellMute() {
        let (source, isStreamMuted) = state.withLock { ($0.source, $0.isStreamMuted) }
        noteMute(source.isSilenced || isStreamMuted, source)
    }

    private func inspect(_ source: AudioSource) {
        record(ProcessingStep.ofServer(source: source))
        if source.isMuted { warnings.send(.sourceMuted(source)) }
        if let sink = source.sink, sink.isMonitorMuted { warnings.send(.sinkMuted(sink)) }
        guard warnsOfProcessing else { return }
        if !source.volume.isUnity { warnings.send(.volumeNotUnity(source)) }
        if let sink = source.sink, sink.changesMonitor { warnings.send(.sinkVolumeNotUnity(sink)) }
        if source.isFilter { warnings.send(.filterSource(source)) }
    }

    private func record(_ found: [ProcessingStep]) {
        state.withLock { state in
            state.processingSteps += found.filter { !state.processingSteps.contains($0) }
        }
    }
}

extension AudioSource {
    /// Whether it, or the sink whose monitor it is, is muted.
    fileprivate var isSilenced: Bool { isMuted || sink?.isMonitorMuted == true }
}

// What the server does to samples, as far as it says.

extension ProcessingStep {
    /// The server's processing of a source.
    static func ofServer(source: AudioSource) -> [ProcessingStep] {
        var processingSteps: [ProcessingStep] = []
        if source.isSilenced { processingSteps.append(.muted) }
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
