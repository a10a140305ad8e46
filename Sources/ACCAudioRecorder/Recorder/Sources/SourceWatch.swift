import Synchronization

/// Watches a recording's source as long as it lasts: reports that it is gone or back, keeps its processing by the server up to
/// date, and requests an interruption when a call begins or the followed default changes.
final class SourceWatch: Sendable {
    private let processing: ServerProcessing
    /// Nil if calls do not interrupt the recording.
    private let calls: CallWatch?
    /// Nil if a source is recorded.
    private let watchedApplication: ApplicationWatch?
    private let isLost = Mutex(false)
    private let changes: AsyncStream<ServerChange>.Continuation
    private let change = Mutex(Promise<Void>())
    /// The connection that found the source.
    let connection: any CaptureConnection
    private let broadcast: RecordingBroadcast
    private let interrupt: @Sendable (RecordingInterruption) -> Void
    private let configuration: ACCAudioRecorder.Configuration

    /// Watches until the task is cancelled.
    ///
    /// - Parameters:
    ///   - choice: The application, if one is recorded and plays.
    ///   - known: The calls that do not interrupt the recording; nil for those that are active now.
    ///   - connection: The connection that found the source; kept open by the watch.
    ///   - noteMute: Called whenever it is known whether the server mutes the source.
    ///   - interrupt: Called when a call begins or the followed default changes.
    static func start(
        on source: AudioSource, playing choice: ApplicationSelection.Choice?, knowing known: Set<CallStream>?,
        of configuration: ACCAudioRecorder.Configuration, connection: any CaptureConnection,
        broadcast: RecordingBroadcast, warnings: RecordingWarnings,
        noteMute: @escaping @Sendable (_ isMuted: Bool, AudioSource) -> Void,
        interrupt: @escaping @Sendable (RecordingInterruption) -> Void
    ) async throws(CaptureFailure) -> (watch: SourceWatch, task: Task<Void, Never>) {
        let (changes, continuation) = AsyncStream.makeStream(of: ServerChange.self)
        let processing = ServerProcessing(
            of: source, connection: connection,
            warnsOfProcessing: configuration.audioSessionMode.warnsOfProcessing, broadcast: broadcast,
            warnings: warnings, noteMute: noteMute)
        let application = configuration.input.application.map {
            ApplicationWatch($0, choice, connection: connection, processing: processing)
        }
        let calls =
            configuration.onCall != .ignore
            ? try await CallWatch(connection: connection, knowing: known, except: application) : nil
        let watch = SourceWatch(
            processing, calls, application, configuration, continuation, connection, broadcast, interrupt)
        try await connection.observe { continuation.yield($0) }
        let watching = Task {
            for await change in changes {
                await watch.handle(change)
                watch.change.withLock { change in
                    defer { change = Promise() }
                    return change
                }.fulfil(())
            }
        }
        return (watch, watching)
    }

    private init(
        _ processing: ServerProcessing, _ calls: CallWatch?, _ application: ApplicationWatch?,
        _ configuration: ACCAudioRecorder.Configuration,
        _ changes: AsyncStream<ServerChange>.Continuation, _ connection: any CaptureConnection,
        _ broadcast: RecordingBroadcast, _ interrupt: @escaping @Sendable (RecordingInterruption) -> Void
    ) {
        self.processing = processing
        self.calls = calls
        watchedApplication = application
        self.configuration = configuration
        self.changes = changes
        self.connection = connection
        self.broadcast = broadcast
        self.interrupt = interrupt
    }

    /// The server's processing steps so far.
    var processingSteps: [ProcessingStep] { processing.processingSteps }

    /// Reports that the source is gone, unless that was reported.
    func reportLoss() {
        isLost.withLock { isLost in
            if !isLost { broadcast.events.send(.deviceLost(processing.source)) }
            isLost = true
        }
    }

    /// Reports that the source is back, if it was reported to be gone.
    func reportReturn(of returned: AudioSource) {
        isLost.withLock { isLost in
            if isLost { broadcast.events.send(.deviceReturned(returned)) }
            isLost = false
        }
    }

    /// Fulfilled when the server has announced the next change.
    var nextChange: Promise<Void> { change.withLock { $0 } }

    /// Whether the source is suspended, according to the server, or the application plays nothing.
    var isSourceSuspended: Bool {
        get async {
            if let watchedApplication { return !watchedApplication.isPlaying }
            return await processing.currentSource(processing.source.id)?.state == .suspended
        }
    }

    /// The application that is recorded, as the server last described it; nil if a source is.
    var application: AudioSource? { watchedApplication == nil ? nil : processing.source }

    /// What is recorded of the application; nil if it has not played yet, or a source is recorded.
    var choice: ApplicationSelection.Choice? { watchedApplication?.choice }

    /// Whether a call that interrupts the recording is active.
    var isCallActive: Bool {
        get async { await calls?.hasNewCall ?? false }
    }

    /// The calls that do not interrupt the recording; nil if none does.
    var knownCalls: Set<CallStream>? { calls?.known }

    /// Follows this input, which now captures the recording.
    func follow(_ input: any CaptureInput) async {
        await watchedApplication?.follow(input)
        let index = await input.streamIndex
        processing.follow(input, stream: index)
        // Earlier events for this stream were ignored, because its index was not known yet.
        if let index { changes.yield(.stream(.changed, index)) }
    }

    private func handle(_ change: ServerChange) async {
        let source = processing.source
        if let watchedApplication {
            if change.concernsApplications { await watchedApplication.update() }
            // The index of an application is not that of a source.
            if case .source = change { return }
        }
        switch change {
        case .source(.removed, source.id):
            reportLoss()
        case .source(.added, let index) where isLost.withLock({ $0 }):
            guard let returned = await processing.currentSource(index) else { return }
            processing.update(to: returned)
            reportReturn(of: returned)
        case .source(.changed, source.id):
            await processing.sourceChanged()
        case .sink(.changed, let index) where index == source.sinkIndex:
            await processing.sourceChanged()
        case .stream(.added, let index):
            if let watchedApplication { processing.update(stream: await watchedApplication.recordStreamIndex) }
            await processing.streamChanged(index)
            if await calls?.isNewCall(index, isPlayback: false) == true { interrupt(.call) }
        case .stream(.changed, let index):
            await processing.streamChanged(index)
        case .playback(.added, let index):
            if await calls?.isNewCall(index, isPlayback: true) == true { interrupt(.call) }
        case .server:
            if await hasDefaultChanged { interrupt(.defaultChanged) }
        case .source, .sink, .stream, .playback:
            return
        }
    }

    /// Whether the recording follows the default, and the default is now another source.
    private var hasDefaultChanged: Bool {
        get async {
            let monitor = configuration.input.followedMonitor
            guard monitor != nil || configuration.interruptions.followsDefault,
                let selection = try? await SourceSelection(connection: connection, for: configuration),
                let choice = try? selection.choice(requested: monitor)
            else { return false }
            return choice.source.name != processing.source.name
        }
    }
}

/// Watches for other programs' calls, which interrupt a recording.
struct CallWatch: Sendable {
    private let connection: any CaptureConnection
    /// Calls that were already active when the recording started; these do not interrupt it.
    let known: Set<CallStream>
    /// The application that is recorded, whose calls are what is recorded.
    private let application: ApplicationWatch?

    /// - Parameter known: The calls that do not interrupt it; nil for those that are active now.
    /// - Throws: If the server does not answer.
    init(
        connection: any CaptureConnection, knowing known: Set<CallStream>?, except application: ApplicationWatch?
    ) async throws(CaptureFailure) {
        self.connection = connection
        self.application = application
        if let known { self.known = known } else { self.known = try await connection.calls() }
    }

    /// Whether a new stream belongs to a new call. False if the server does not answer: the capture notices a broken
    /// connection by itself.
    func isNewCall(_ index: UInt32, isPlayback: Bool) async -> Bool {
        guard (try? await connection.isCall(index, isPlayback: isPlayback)) == true else { return false }
        return await hasNewCall
    }

    /// Whether there is a new call.
    var hasNewCall: Bool {
        get async {
            let calls = try? await connection.calls().subtracting(known)
            return calls?.contains { application?.isRecorded($0.owner) != true } ?? false
        }
    }
}
