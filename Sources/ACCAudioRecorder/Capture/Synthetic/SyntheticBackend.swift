import Synchronization

/// The backend of a synthetic source, in place of a sound server: its only source until the default changes.
final class SyntheticBackend: CaptureBackend {
    /// The stream of another program's scripted call.
    static let call = CallStream(isPlayback: true, index: 1)

    /// The progress through the source, across all inputs opened on it.
    struct Progress {
        /// The next frame.
        var frame = 0
        /// The number of faults that have happened.
        var faultCount = 0
    }

    /// What the stand-in for a server tells its clients. Times are the source's, in CLOCK_MONOTONIC nanoseconds.
    struct Server {
        /// Its sources, unless their devices are gone.
        var sources: [AudioSource]
        /// Until when it does not answer.
        var lostUntil: UInt64 = 0
        /// Until when the devices are gone.
        var removedUntil: UInt64 = 0
        /// Until when another program is in a call.
        var callUntil: UInt64 = 0
    }

    let synthetic: SyntheticSource
    /// Whether calls and changes of the default source interrupt the recording.
    let isInterrupted: (byCalls: Bool, byDefaults: Bool)
    /// When frame 0 was captured, in CLOCK_MONOTONIC nanoseconds.
    let startTime: UInt64
    let progress = Mutex(Progress())
    private let server: Mutex<Server>
    /// The time of the test's clock at frame 0.
    private let clockStart: SyntheticClock.Instant?

    init(
        _ synthetic: SyntheticSource, startTime: UInt64 = MonotonicClock.now(),
        isInterrupted: (byCalls: Bool, byDefaults: Bool) = (false, false)
    ) {
        self.synthetic = synthetic
        self.isInterrupted = isInterrupted
        self.startTime = startTime
        server = Mutex(Server(sources: [synthetic.source]))
        clockStart = if case .clock(let clock) = synthetic.pace { clock.now } else { nil }
    }

    /// The time by which the source is paced, in CLOCK_MONOTONIC nanoseconds.
    func now() -> UInt64 {
        guard case .clock(let clock) = synthetic.pace, let clockStart else { return MonotonicClock.now() }
        let (seconds, attoseconds) = clockStart.duration(to: clock.now).components
        return startTime + UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }

    /// The latest time before now. The frame that begins right now, by a clock that stands still, is not captured yet,
    /// and must not be counted because its time was rounded.
    func latestPast() -> UInt64 { now() - 1 }

    var waitsForRecording: Bool { synthetic.pace == .asFastAsPossible }

    func connect() async throws(CaptureFailure) -> any CaptureConnection {
        guard withServer({ $0.lostUntil }) <= now() else { throw CaptureFailure(.noServer, "Connection refused") }
        return SyntheticConnection(backend: self)
    }

    /// The sources whose devices are there.
    var presentSources: [AudioSource] {
        let now = now()
        return withServer { $0.removedUntil <= now ? $0.sources : [] }
    }

    /// Whether another program is in a call.
    var isCallActive: Bool { withServer { $0.callUntil } > now() }

    /// Reads or changes what the server tells.
    func withServer<Value: Sendable>(_ body: (inout sending Server) -> Value) -> Value {
        server.withLock { body(&$0) }
    }
}

/// A connection to a synthetic source.
final class SyntheticConnection: CaptureConnection {
    private let backend: SyntheticBackend
    private let observer = Mutex(Observer())
    let closed = Promise<Void>()

    /// A structure, because each access to a closure in a mutex would wrap it once more.
    private struct Observer {
        var onChange: (@Sendable (ServerChange) -> Void)?
    }

    init(backend: SyntheticBackend) {
        self.backend = backend
    }

    func sourceCatalog() async throws(CaptureFailure) -> SourceCatalog {
        SourceCatalog(sources: backend.presentSources)
    }

    func source(index: UInt32, named name: String) async throws(CaptureFailure) -> AudioSource? {
        backend.presentSources.first { $0.id == index && $0.name == name }
    }

    func sink(monitoredBy source: AudioSource) async throws(CaptureFailure) -> MonitoredSink? { nil }

    func recordStream(_ index: UInt32) async throws(CaptureFailure) -> RecordStream? { nil }

    func applicationStreams() async throws(CaptureFailure) -> [ApplicationStream] { [] }

    func calls() async throws(CaptureFailure) -> Set<CallStream> {
        backend.isCallActive ? [SyntheticBackend.call] : []
    }

    func isCall(_ index: UInt32, isPlayback: Bool) async throws(CaptureFailure) -> Bool {
        try await calls().contains(CallStream(isPlayback: isPlayback, index: index))
    }

    func observe(_ onChange: @escaping @Sendable (ServerChange) -> Void) async throws(CaptureFailure) {
        observer.withLock { $0.onChange = onChange }
    }

    /// Whether changes are observed.
    var isObserved: Bool { observer.withLock { $0.onChange != nil } }

    /// Reports a change to the observer.
    func send(_ change: ServerChange) {
        observer.withLock { $0.onChange }?(change)
    }

    func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput {
        try SyntheticInput.open(backend, self, source, settings, start: start)
    }

    func open(
        _ playback: ApplicationStream, of application: AudioSource, _ group: PlaybackGroup, _ settings: CaptureSettings,
        start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput {
        try open(application, settings, start: start)
    }
}
