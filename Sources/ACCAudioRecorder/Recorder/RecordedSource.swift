import Synchronization

/// The source of a recording with its watch, or its inputs with theirs. After an interruption it may be another one.
///
/// It is replaced by one command at a time, inside the command gate. Queries may come at any time.
final class RecordedSource: Sendable {
    /// A request to interrupt the recording: a call has begun, or the default source is another.
    struct InterruptionRequest: Sendable {
        let cause: RecordingInterruption
        /// The number of the watch that makes it.
        fileprivate let watchNumber: Int
    }

    /// For one consumer.
    let interruptionRequests: AsyncStream<InterruptionRequest>
    private let requestInterruption: AsyncStream<InterruptionRequest>.Continuation
    private let configuration: ACCAudioRecorder.Configuration
    private let backend: any CaptureBackend
    private let controls: RecordingControls
    private let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings
    private let state: Mutex<State>

    private struct State {
        /// The source as it was found for the last segment.
        var found: FoundSource
        var followed = FollowedSource()
        /// The inputs; nil for one.
        var tracks: TrackSet?
    }

    /// - Parameter controls: The recording's, which get mutes and the server's processing steps from here.
    init(
        _ found: FoundSource, _ configuration: ACCAudioRecorder.Configuration, backend: any CaptureBackend,
        controls: RecordingControls, broadcast: RecordingBroadcast, warnings: RecordingWarnings
    ) {
        self.configuration = configuration
        self.backend = backend
        self.controls = controls
        self.broadcast = broadcast
        self.warnings = warnings
        state = Mutex(State(found: found))
        (interruptionRequests, requestInterruption) = AsyncStream.makeStream()
        controls.setServerProcessings { [weak self] in self?.processingSteps ?? [] }
    }

    /// Stops the watch of a recording whose start failed.
    deinit { close() }

    /// The source being recorded, or recorded before the interruption.
    var current: AudioSource {
        state.withLock { $0.tracks == nil ? $0.followed.watch?.application ?? $0.found.source : $0.found.source }
    }

    /// The source as it was found for the last segment.
    var found: FoundSource { state.withLock { $0.found } }

    /// The watch of the source, or of the first input.
    var watch: SourceWatch? { state.withLock { $0.tracks?.firstWatch ?? $0.followed.watch } }

    /// The inputs; empty for one.
    var inputs: [RecordedInput] { tracks?.inputs ?? [] }

    /// The server's processing steps so far.
    var processingSteps: [ProcessingStep] {
        state.withLock { $0.tracks?.processingSteps ?? $0.followed.allProcessingSteps }
    }

    /// Whether the source is suspended, according to the server.
    var isSuspended: Bool {
        get async { await watch?.isSourceSuspended ?? false }
    }

    /// Fulfilled when the server announces the next change, which may let the recording continue.
    var nextChange: Promise<Void> { watch?.nextChange ?? Promise() }

    private var tracks: TrackSet? { state.withLock { $0.tracks } }

    /// Whether a request is about the source as it is watched now.
    func isCurrent(_ request: InterruptionRequest) -> Bool {
        state.withLock { $0.followed.watchNumber == request.watchNumber }
    }

    // MARK: - Watching

    /// Watches this source instead of the previous one.
    ///
    /// - Parameter continuesCalls: Whether calls interrupt the recording that began since it was watched last.
    func watch(
        _ found: FoundSource, continuesCalls: Bool = false
    ) async throws(ACCAudioRecorderError) {
        let number = state.withLock { $0.followed.watchNumber } + 1
        let noteMute = { @Sendable [controls, backend] (isMuted: Bool, source: AudioSource) in
            controls.noteMute(isMuted, of: source, at: backend.now())
        }
        do throws(CaptureFailure) {
            if let tracks = found.tracks {
                state.withLock { state in
                    state.tracks?.close()
                    state.tracks = tracks
                }
                return try await tracks.watch(for: broadcast, warnings, noteMute: noteMute) {
                    [requestInterruption] in
                    requestInterruption.yield(.init(cause: $0, watchNumber: number - 1))
                }
            }
            let (watch, watching) = try await SourceWatch.start(
                on: found.source, playing: found.choice, knowing: continuesCalls ? watch?.knownCalls : nil,
                of: configuration, connection: found.connection, broadcast: broadcast, warnings: warnings,
                noteMute: noteMute,
                interrupt: { [requestInterruption] in
                    requestInterruption.yield(.init(cause: $0, watchNumber: number))
                })
            state.withLock { $0.followed.follow(by: watch, watching) }
        } catch {
            throw .audioEngineStartFailed(.init("cannot watch the source '\(found.source.name)'", error))
        }
    }

    /// Reports that the source is gone.
    func reportLoss() {
        // Several inputs are reported one by one.
        if tracks == nil { watch?.reportLoss() }
    }

    /// Reports that the source is back, if it is the one that was found.
    func reportReturn(of found: FoundSource) {
        if found.tracks == nil, found.source.name == current.name { watch?.reportReturn(of: found.source) }
    }

    /// Notes that this source, which is watched, is now recorded.
    func replace(with found: FoundSource) {
        state.withLock { $0.found = found }
    }

    /// Follows this input, which now captures the recording. Several follow theirs themselves.
    func follow(_ input: any CaptureInput) async {
        if tracks == nil { await watch?.follow(input) }
    }

    /// Requests an interruption if there is a call, which may have begun while the source was away.
    func interruptIfCalled() async {
        guard await watch?.isCallActive == true else { return }
        requestInterruption.yield(.init(cause: .call, watchNumber: state.withLock { $0.followed.watchNumber }))
    }

    /// Ends the watch of a source. Inputs are watched until `close`.
    func stopWatching() {
        state.withLock { $0.followed.stop() }
    }

    /// Ends all watches.
    func close() {
        state.withLock { state in
            state.followed.stop()
            state.tracks?.close()
        }
        requestInterruption.finish()
    }

    // MARK: - Finding it again

    /// Finds the source again, in its current format.
    func findAgain() async throws(ACCAudioRecorderError) -> FoundSource {
        try await FoundSource(
            configuration, from: backend, exactName: current.name, continuing: watch?.choice, tracks: tracks)
    }

    /// Decides how an interrupted recording continues.
    var recovery: Recovery {
        Recovery(configuration: configuration, backend: backend, source: current, watch: watch, tracks: tracks)
    }
}
