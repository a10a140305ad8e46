import FoundationEssentials

/// Records from a source of the sound server, for any number of subscribers and outputs.
///
/// Commands may be called from any task at any time; they are carried out one after another. Cancelling a task gives up the
/// start for which it waits. Any other command of a cancelled task is carried out as well: only a command ends a recording that
/// has begun, never a cancellation.
public actor ACCAudioRecorder {
    /// The recorder's version, which is written to files.
    public static let version = "1.0.0"

    /// What it records.
    public let configuration: Configuration
    let backend: any CaptureBackend
    /// The clock by which the state is sent, and by which an interruption lasts.
    let clock: RecorderClock
    var machine = RecordingStateMachine()
    var gate = CommandGate()
    var session: RecordingSession?
    var prepared: FoundSource?
    /// The outputs of the current start, or of the next one.
    var starting = StartingOutputs()
    /// Opens the prepared source again if it is lost.
    var rearming: Task<Void, Never>?
    /// The length in seconds of the audio that is kept for each of several takes; nil without takes.
    var takePreRoll: Double?
    /// The numbers that the files of takes have had.
    private let usedNumbers = FileNumbers()
    var ticker: Task<Void, Never>?
    /// Waits for the source of an interrupted or suspended recording.
    var waiting: Task<Void, Never>?
    var timeLimit: TimeInterval?
    var onTimeLimitReached: (@Sendable () async -> Void)?
    var levelObserver: LevelObserver?
    let subscriptions = Subscriptions()
    var onUnrecoverableInterruption: (@Sendable () async -> Void)?

    /// Creates an idle recorder.
    public init(configuration: Configuration = Configuration()) {
        self.init(configuration, configuration.capture.backend, RecorderClock())
    }

    /// Creates a recorder for a synthetic source, which needs no sound server: for tests.
    ///
    /// - Parameters:
    ///   - configuration: Its settings for servers and sources are ignored.
    ///   - source: The source to record.
    public init(configuration: Configuration = Configuration(), source: SyntheticSource) {
        self.init(configuration, of: source)
    }

    /// Creates a recorder for samples that the program pushes, which needs no sound server.
    ///
    /// - Parameters:
    ///   - configuration: Its settings for servers and sources are ignored.
    ///   - source: The source to record.
    public init(configuration: Configuration = Configuration(), source: PushSource) {
        self.init(configuration, of: SyntheticSource(source))
    }

    private init(_ configuration: Configuration, of source: SyntheticSource) {
        var configuration = configuration
        configuration.input = .source(source.source.name)
        // What concerns one of several inputs.
        configuration.inputSettings = [:]
        configuration.soundActivation?.input = nil
        let backend = SyntheticBackend(
            source,
            isInterrupted: (
                byCalls: configuration.onCall != .ignore, byDefaults: configuration.interruptions.followsDefault
            ))
        let clock = if case .clock(let clock) = source.pace { RecorderClock(clock) } else { RecorderClock() }
        self.init(configuration, backend, clock)
    }

    /// Creates a recorder for the sources of a backend, which waits by a clock.
    init(_ configuration: Configuration, _ backend: any CaptureBackend, _ clock: RecorderClock) {
        self.configuration = configuration
        self.backend = backend
        self.clock = clock
    }

    /// Finishes the recording that is still running, if any.
    deinit {
        ticker?.cancel()
        rearming?.cancel()
        waiting?.cancel()
        Task.detached { [session, prepared, subscriptions] in
            _ = await session?.end(.finished)
            subscriptions.close()
            await prepared?.release()
        }
    }
}

// MARK: - Recording

extension ACCAudioRecorder {
    /// Starts a recording that goes only to its subscribers.
    ///
    /// - Returns: Its streams, which miss nothing.
    /// - Throws: As `startRecording(to:)`.
    @discardableResult
    public func startRecording() async throws(ACCAudioRecorderError) -> RecordingStreams {
        try await startRecording(to: [])
    }

    /// Starts a recording to the given outputs, all of which hold exactly the same frames.
    ///
    /// It returns when the source is open. The first frame may come later, of a monitor up to two seconds: whoever tells a speaker to
    /// begin waits for ``RecordingEvent/started(hostTime:)``.
    ///
    /// - Returns: Its streams, which miss nothing.
    /// - Throws: `recordingAlreadyInProgress`; `audioFormatCreationFailed` for a sample rate, channel count or buffer
    ///   size out of range; `outputFailed` for an output that cannot be created; `audioEngineStartFailed` if the server
    ///   or the source cannot be opened, or the task is cancelled before the recording has begun. A failed start leaves no files
    ///   behind, and closes a source that was opened in advance: what was kept of it is gone.
    @discardableResult
    public func startRecording(to outputs: [RecordingOutput]) async throws(ACCAudioRecorderError) -> RecordingStreams {
        try await start(to: outputs).streams
    }

    /// Starts a recording whose first frame is the first one captured at a time or later: for several recorders, or devices,
    /// that begin together.
    ///
    /// The source is opened at once, so that by then its times are exact: to 2 ms if the time is five seconds ahead, see
    /// ``AudioBufferData/hostTime``. Until then the recording has no frame; finished earlier, it ends without a file. A time
    /// that has passed is that of a frame which is kept (``prepareRecording(keeping:)``), or else the recording begins with the
    /// first frame there is.
    ///
    /// ```swift
    /// let time = SuspendingClock.now.advanced(by: .seconds(5))
    /// async let left = one.startRecording(to: [here], at: time)
    /// async let right = other.startRecording(to: [there], at: time)
    /// _ = try await (left, right)
    /// ```
    ///
    /// - Parameters:
    ///   - outputs: As in `startRecording(to:)`.
    ///   - time: When the first frame is captured. A `Date` is converted by `SuspendingClock.Instant(hostTime: date.hostTime)`.
    /// - Returns: Its streams, which miss nothing.
    /// - Throws: As `startRecording(to:)`.
    @discardableResult
    public func startRecording(
        to outputs: [RecordingOutput] = [], at time: SuspendingClock.Instant
    ) async throws(ACCAudioRecorderError) -> RecordingStreams {
        try await start(to: outputs, from: time.hostTime).streams
    }

    /// Starts a recording as `startRecording(to:)` does.
    ///
    /// - Parameter time: When the first frame is captured, in CLOCK_MONOTONIC nanoseconds; nil for now.
    func start(to outputs: [RecordingOutput], from time: UInt64? = nil) async throws(ACCAudioRecorderError) -> Started {
        let call = StartCall()
        return try await waitUnlessCancelled(elseThrowing: .startCancelled, givingUp: call.cancel) {
            () async throws(ACCAudioRecorderError) in try await self.carryOut(call, to: outputs, from: time)
        }
    }

    /// What a start has made.
    typealias Started = (session: RecordingSession, streams: RecordingStreams)

    private func carryOut(
        _ call: StartCall, to outputs: [RecordingOutput], from time: UInt64?
    ) async throws(ACCAudioRecorderError) -> Started {
        let trigger = backend.now()
        await enter()
        defer { gate.leave() }
        if case .refuse(let error) = machine.handle(.start) { throw error }
        if starting.hasBegun { starting = StartingOutputs() }
        guard call.begin(creating: starting) else {
            machine.opened(false)
            throw .startCancelled
        }
        rearming?.cancel()
        rearming = nil
        var configuration = configuration
        if takePreRoll != nil { configuration.usedNumbers = usedNumbers }
        do throws(ACCAudioRecorderError) {
            let (session, streams) = try await RecordingSession.start(
                configuration, from: backend, outputs: outputs, limit: timeLimit, prepared: prepared, at: trigger,
                from: time, levelObserver: levelObserver, starting: starting, subscriptions: subscriptions)
            prepared = nil
            self.session = session
            // It may have been changed meanwhile.
            session.setLimit(timeLimit)
            machine.opened(true)
            watchSegment()
            watchForInterruptions(of: session)
            startTicker(for: session)
            return (session, streams)
        } catch {
            await prepared?.release()
            prepared = nil
            starting = StartingOutputs()
            machine.opened(false)
            if let takePreRoll { rearm(keeping: takePreRoll) }
            throw error
        }
    }

    /// Gives up a start that is still waiting for the server, or for its turn, for a program that ends now: removes its
    /// files.
    ///
    /// - Returns: False if the recording has begun, and has to be finished like any other.
    package func abandonStart() async -> Bool {
        await starting.abandon()
    }

    /// Returns further streams of the current recording, independent of the others, with the level history and the state so
    /// far; nil without a recording.
    public func getCurrentStreams() -> RecordingStreams? {
        guard let session else { return nil }
        defer { startTicker(for: session) }
        return session.broadcast.subscribe()
    }

    /// Finishes the recording with every frame captured until now, and completes its outputs.
    ///
    /// It may be called from the loop that reads the recording's audio, which then gets the rest.
    ///
    /// - Returns: The report; nil without a recording.
    @discardableResult
    public func finishRecording() async -> RecordingReport? {
        await handle(.finish)
    }

    /// Ends the recording and removes the files it created.
    ///
    /// - Returns: The report; nil without a recording.
    @discardableResult
    public func discardRecording() async -> RecordingReport? {
        await handle(.discard)
    }

    /// Ends the recording and removes the files that are being written. Those that were complete before stay: a recording in
    /// several files loses the last one of each output.
    ///
    /// - Returns: The report, with the files that stay; nil without a recording.
    @discardableResult
    public func discardCurrentFiles() async -> RecordingReport? {
        await handle(.discardCurrentFiles)
    }

    /// Pauses the recording after the last frame captured until now, and closes the source. Does nothing if no
    /// recording is running.
    public func pauseRecording() async {
        await handle(.pause)
    }

    /// Continues a paused recording in the same outputs, from the same source in its current format. Does nothing if
    /// the recording is not paused.
    ///
    /// - Throws: `noActiveRecording` without a recording; `audioEngineStartFailed` if the source cannot be opened, in
    ///   which case the recording stays paused.
    public func resumeRecording() async throws(ACCAudioRecorderError) {
        await enter()
        defer { gate.leave() }
        let action = machine.handle(.resume)
        if case .refuse(let error) = action { throw error }
        guard case .open = action, let session else { return }
        try await open(session) { () throws(ACCAudioRecorderError) in try await session.recorded.findAgain() }
    }
}

/// Admits the recorder's commands one at a time, in the order of their calls, although each suspends while it waits for
/// servers and threads.
struct CommandGate {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the gate; false if the caller has to queue.
    mutating func tryEnter() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// Queues a caller, which holds the gate when it is resumed.
    mutating func queue(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Passes the gate to the next caller in the queue, if any.
    mutating func leave() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
