import CPulse
import Synchronization

/// Follows the source and the stream of a recording at the server for as long as it lasts: tells the subscribers when
/// the source goes and comes back under its name, and notes what the server does to its samples.
final class SourceWatch: Sendable {
    private struct State {
        var source: AudioSource
        var isLost = false
        var capture: Capture?
        var alterations: [Alteration] = []
        /// Calls that were there before, which the recording was started in spite of.
        var knownCalls: Set<CallStream> = []
        var isCallActive = false
    }

    /// How long what the server says of a volume has to stand: PipeWire says 0 % of a stream until it knows.
    private static let settlingTime = Duration.milliseconds(100)

    private let state: Mutex<State>
    private let changes: AsyncStream<ServerChange>.Continuation
    private let control: PulseControl
    private let broadcast: RecordingBroadcast
    private let warnings: RecordingWarnings
    private let onSuspension: @Sendable () -> Void
    private let configuration: ACCAudioRecorder.Configuration

    /// Watches until the task is cancelled.
    ///
    /// - Parameters:
    ///   - control: The connection that found the source; kept for as long as the watch lasts.
    ///   - onSuspension: Called when the server says that the source is suspended.
    static func start(
        on source: AudioSource, of configuration: ACCAudioRecorder.Configuration, control: PulseControl,
        broadcast: RecordingBroadcast, warnings: RecordingWarnings, onSuspension: @escaping @Sendable () -> Void
    ) async throws(PulseFailure) -> (watch: SourceWatch, task: Task<Void, Never>) {
        let (changes, continuation) = AsyncStream.makeStream(of: ServerChange.self)
        let watch = SourceWatch(source, configuration, continuation, control, broadcast, warnings, onSuspension)
        if configuration.pausesForCalls { try await watch.noteCallsAtTheStart() }
        try await control.observe { continuation.yield($0) }
        return (watch, Task { for await change in changes { await watch.note(change) } })
    }

    private init(
        _ source: AudioSource, _ configuration: ACCAudioRecorder.Configuration,
        _ changes: AsyncStream<ServerChange>.Continuation, _ control: PulseControl, _ broadcast: RecordingBroadcast,
        _ warnings: RecordingWarnings, _ onSuspension: @escaping @Sendable () -> Void
    ) {
        state = Mutex(State(source: source))
        self.changes = changes
        self.control = control
        self.broadcast = broadcast
        self.warnings = warnings
        self.onSuspension = onSuspension
        self.configuration = configuration
    }

    /// Whether the source has gone, which is then taken for known.
    func takeLoss() -> Bool {
        state.withLock { state in
            defer { state.isLost = false }
            return state.isLost
        }
    }

    /// Whether the server says that the source is suspended.
    var isSourceSuspended: Bool {
        get async {
            let source = state.withLock { $0.source }
            return await present(source.id, named: source.name)?.state == .suspended
        }
    }

    /// Whether the server still has the source, by its number.
    func isPresent(_ source: AudioSource) async -> Bool {
        await present(source.id, named: source.name) != nil
    }

    /// What the server did to the samples so far.
    var alterations: [Alteration] { state.withLock { $0.alterations } }

    /// From now on the recording is made by this capture.
    func follow(_ capture: Capture) async {
        state.withLock { $0.capture = capture }
        inspect(capture.source)
        // What the server told before belonged to no capture yet.
        if let stream = await capture.stream { changes.yield(.stream(.changed, stream.index)) }
    }

    private func note(_ change: ServerChange) async {
        let (source, isLost) = state.withLock { ($0.source, $0.isLost) }
        switch change {
        case .source(.removed, source.id):
            let capture = state.withLock { state in
                state.isLost = true
                return state.capture
            }
            broadcast.events.send(.deviceLost(source))
            capture?.holdBack.noteLeft()
            await capture?.stop(.now)
        case .source(.added, let index) where isLost:
            guard let returned = await present(index, named: source.name) else { return }
            state.withLock { $0.source = returned }
            if takeLoss() { broadcast.events.send(.deviceReturned(returned)) }
        case .source(.changed, source.id):
            await inspectAgain(source)
        case .sink(.changed, let index) where index == source.sinkIndex:
            await inspectAgain(source)
        case .stream(.added, let index):
            await inspectStream(index, from: source)
            await pauseForCall { try await control.isCall(record: index) }
        case .stream(.changed, let index):
            await inspectStream(index, from: source)
        case .playback(.added, let index):
            await pauseForCall { try await control.isCall(playback: index) }
        case .server:
            await followDefault(from: source)
        case .source, .sink, .stream, .playback:
            return
        }
    }

    /// Leaves the source where another is to be followed.
    private func followDefault(from source: AudioSource) async {
        guard configuration.interruptions.followsDefault,
            let selection = try? await SourceSelection(control: control, for: configuration),
            let choice = try? selection.choice(requested: nil), choice.source.name != source.name
        else { return }
        let capture = state.withLock { $0.capture }
        capture?.holdBack.noteLeft()
        await capture?.stop(.now)
    }

    /// The source as it is now. A server that does not answer has broken, which the capture notices by itself.
    private func present(_ index: UInt32, named name: String) async -> AudioSource? {
        try? await control.source(index: index, named: name)
    }

    private func inspectAgain(_ source: AudioSource) async {
        guard let present = await present(source.id, named: source.name) else { return }
        if present.state == .suspended { onSuspension() }
        notePort(of: present)
        inspect(present)
    }

    /// Tells of another port: the source is the same, and what it hears may not be.
    private func notePort(of present: AudioSource) {
        let before = state.withLock { state in
            defer { state.source = present }
            return state.source.port
        }
        if present.port != before { broadcast.events.send(.portChanged(present)) }
    }

    /// Notes what the server does to the source's samples.
    private func inspect(_ source: AudioSource) {
        note(Alteration.ofServer(source: source))
        if source.isMuted { warnings.tell(.sourceMuted(source)) }
        if let sink = source.sink, sink.isMonitorMuted { warnings.tell(.sinkMuted(sink)) }
        guard configuration.audioSessionMode.warnsOfAlterations else { return }
        if !source.volume.isUnity { warnings.tell(.volumeNotUnity(source)) }
        if let sink = source.sink, sink.changesMonitor { warnings.tell(.sinkVolumeNotUnity(sink)) }
        if source.isFilter { warnings.tell(.filterSource(source)) }
    }

    /// Notes what the server does to the samples of a stream, if it is the recording's.
    private func inspectStream(_ index: UInt32, from source: AudioSource) async {
        guard var stream = await presentStream(index, from: source) else { return }
        if !Alteration.ofServer(stream: stream).isEmpty {
            // The server says nothing more where the first word was true already.
            try? await Task.sleep(for: Self.settlingTime)
            guard let settled = await presentStream(index, from: source) else { return }
            stream = settled
        }
        note(Alteration.ofServer(stream: stream))
        if stream.isMuted { warnings.tell(.streamMuted(stream.index)) }
    }

    /// The recording's stream, if it has that number and is on the source; one that is elsewhere has left.
    private func presentStream(_ index: UInt32, from source: AudioSource) async -> SourceOutput? {
        // Only that one is asked for: where many record at once, each hears of all the others.
        guard let capture = state.withLock({ $0.capture }),
            let stream = try? await control.sourceOutput(index, ofStream: capture.streamName)
        else { return nil }
        if stream.sourceIndex == source.id { return stream }
        if stream.sourceIndex != accrec_pa_invalid_index { capture.holdBack.noteLeft() }
        return nil
    }

    private func note(_ found: [Alteration]) {
        state.withLock { state in
            state.alterations += found.filter { !state.alterations.contains($0) }
        }
    }
}

// MARK: - Calls

extension SourceWatch {
    /// Whether a call interrupts the recording, as far as is known.
    var isCallActive: Bool { state.withLock { $0.isCallActive } }

    /// Asks whether a call that interrupted the recording goes on.
    func callGoesOn() async -> Bool {
        let known = state.withLock { $0.knownCalls }
        let calls = try? await control.calls()
        let goesOn = calls?.subtracting(known).isEmpty == false
        state.withLock { $0.isCallActive = goesOn }
        return goesOn
    }

    private func noteCallsAtTheStart() async throws(PulseFailure) {
        let calls = try await control.calls()
        state.withLock { $0.knownCalls = calls }
    }

    /// Pauses where a stream that has come is a call's. A server that does not answer has broken, which the capture notices
    /// by itself.
    private func pauseForCall(ifSo isCall: () async throws -> Bool) async {
        guard configuration.pausesForCalls, (try? await isCall()) == true, await callGoesOn() else { return }
        await state.withLock { $0.capture }?.stop(.after(hostTime: MonotonicClock.now()))
    }
}
