import Synchronization

/// Follows the application of a recording: tells the input which streams to capture, as they come and go.
final class ApplicationWatch: Sendable {
    private struct State {
        var choice: ApplicationSelection.Choice?
        /// The input that captures; nil before it is open.
        var input: (any CaptureInput)?
        /// How often the server was asked, and the number of the latest question that it has answered.
        var asked = 0
        var answered = 0
    }

    private let requested: String
    private let connection: any CaptureConnection
    private let processing: ServerProcessing?
    private let state: Mutex<State>

    /// - Parameter choice: What was found when the source was prepared; nil if the application played nothing.
    init(
        _ requested: String, _ choice: ApplicationSelection.Choice?, connection: any CaptureConnection,
        processing: ServerProcessing? = nil
    ) {
        self.requested = requested
        self.connection = connection
        self.processing = processing
        state = Mutex(State(choice: choice))
    }

    /// The application, once it has played.
    var choice: ApplicationSelection.Choice? { state.withLock { $0.choice } }

    /// Whether there is a stream to capture that is not paused.
    var isPlaying: Bool { choice?.streams.contains { !$0.isPaused } ?? false }

    /// Whether a program is the one that is recorded, or would be.
    func isRecorded(_ owner: StreamOwner) -> Bool {
        choice.map { owner.isSameProgram(as: $0.owner) } ?? ApplicationSelection.matches(owner, requested: requested)
    }

    /// Follows this input, which now captures the recording.
    func follow(_ input: any CaptureInput) async {
        state.withLock { $0.input = input }
        await update()
    }

    /// Looks at what plays now. Does nothing if the server does not answer: the capture notices a broken connection by
    /// itself.
    func update() async {
        let question = state.withLock { state in
            state.asked += 1
            return state.asked
        }
        guard let playing = try? await connection.applicationStreams() else { return }
        let selection = ApplicationSelection(playing: playing)
        let choice = state.withLock { state -> ApplicationSelection.Choice? in
            // An earlier question may be answered later.
            guard question > state.answered else { return nil }
            state.answered = question
            state.choice =
                state.choice.map { selection.choice(continuing: $0) } ?? selection.firstChoice(requested: requested)
            state.input?.capture(state.choice?.streams ?? [])
            return state.choice
        }
        if let choice { processing?.update(to: choice) }
    }

    /// Follows an input that was opened before its recording begins, until the task is cancelled.
    static func start(
        _ requested: String, _ choice: ApplicationSelection.Choice?, connection: any CaptureConnection,
        following input: any CaptureInput
    ) async throws(CaptureFailure) -> Task<Void, Never> {
        let watch = ApplicationWatch(requested, choice, connection: connection)
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await connection.observe { change in
            if change.concernsApplications { continuation.yield() }
        }
        await watch.follow(input)
        return Task { for await _ in changes { await watch.update() } }
    }

    /// The index of a record stream of the input at the server.
    var recordStreamIndex: UInt32? {
        get async { await state.withLock { $0.input }?.streamIndex }
    }
}

extension ServerChange {
    /// Whether the streams of an application may have changed. The end of a record stream comes with a move or the end of
    /// what it has captured.
    var concernsApplications: Bool {
        switch self {
        case .playback, .stream(.removed, _): true
        case .source, .sink, .stream, .server: false
        }
    }
}
