import Synchronization

/// A connection to a sound server, or to a stand-in for one: lists and watches its sources, and opens inputs on them.
///
/// Everything above this layer uses sources only through it. Every request is answered, or fails, within five seconds.
/// Any task may call.
protocol CaptureConnection: AnyObject, Sendable {
    /// The available sources, and which of them is the default.
    func sourceCatalog() async throws(CaptureFailure) -> SourceCatalog

    /// The source with this index as it is now, with its sink; nil if there is none with this index and name.
    func source(index: UInt32, named name: String) async throws(CaptureFailure) -> AudioSource?

    /// The sink that a source is the monitor of; nil if it is not a monitor.
    func sink(monitoredBy source: AudioSource) async throws(CaptureFailure) -> MonitoredSink?

    /// A record stream by its index; nil if there is none.
    func recordStream(_ index: UInt32) async throws(CaptureFailure) -> RecordStream?

    /// The streams that programs play.
    func applicationStreams() async throws(CaptureFailure) -> [ApplicationStream]

    /// The streams of other programs' calls.
    func calls() async throws(CaptureFailure) -> Set<CallStream>

    /// Whether a record or playback stream, given by its index, belongs to another program's call.
    func isCall(_ index: UInt32, isPlayback: Bool) async throws(CaptureFailure) -> Bool

    /// Reports changes of sources, streams and defaults from now on, on a thread of the connection. One observer per
    /// connection: a later one replaces it.
    func observe(_ onChange: @escaping @Sendable (ServerChange) -> Void) async throws(CaptureFailure)

    /// Fulfilled when the connection has broken.
    var closed: Promise<Void> { get }

    /// Begins to open a source in its own format.
    func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput

    /// Begins to open one of the streams that an application plays, in the format that the application's source states.
    func open(
        _ playback: ApplicationStream, of application: AudioSource, _ group: PlaybackGroup, _ settings: CaptureSettings,
        start: CaptureStart
    ) throws(ACCAudioRecorderError) -> any CaptureInput
}

extension CaptureConnection {
    /// Waits until the connection has broken or the task is cancelled.
    func waitUntilClosed() async {
        // A cancelled wait fulfils the promise for all that wait for it: nobody else waits on the connection of a caller.
        await withTaskCancellationHandler {
            await closed.value
        } onCancel: {
            closed.fulfil(())
        }
    }
}

/// The sources at one moment.
struct SourceCatalog: Sendable {
    /// All sources, including monitors, in the server's order.
    var sources: [AudioSource]
    /// Sources whose stated format or channel map cannot be captured.
    var unusable: [UnusableSource] = []
    /// The server's default sink, if it has one.
    var defaultSinkName: String?
}

/// Makes connections to a sound server, or to a stand-in for one.
protocol CaptureBackend: Sendable {
    /// Whether its source waits for a recording that cannot keep up, because it delivers as fast as it can.
    var waitsForRecording: Bool { get }

    /// The time by which its sources capture, in CLOCK_MONOTONIC nanoseconds.
    func now() -> UInt64

    /// Connects.
    func connect() async throws(CaptureFailure) -> any CaptureConnection
}

extension CaptureBackend {
    var waitsForRecording: Bool { false }

    func now() -> UInt64 { MonotonicClock.now() }
}

/// A source whose stated format or channel map cannot be captured.
struct UnusableSource: Error {
    /// The source's name at the server.
    let name: String
    /// The stated format, human-readable: `0 Hz, 2 channels, sample format 3`.
    let statedFormat: String
}

/// A change at the server, with the index of the object that changed.
enum ServerChange: Sendable, Hashable {
    /// The kind of change.
    enum Kind: Sendable, Hashable {
        case added, changed, removed
    }

    case source(Kind, UInt32)
    case sink(Kind, UInt32)
    case stream(Kind, UInt32)
    case playback(Kind, UInt32)
    /// The server's defaults, or other information about the server itself.
    case server
}

/// The error of a backend: its reason, and the backend's own message.
struct CaptureFailure: Error, Sendable, Equatable {
    /// The reason, which users of the library can distinguish.
    let reason: ACCAudioRecorderError.Failure.Reason
    /// The backend's own message.
    private(set) var message: String
    /// Whether the configuration names the server.
    private var isOfNamedServer = false
    /// What the user can do, if more is known than the reason tells.
    private var ownRemedy: String?

    /// The task that waited was cancelled.
    static let cancelled = CaptureFailure(.cancelled, "the task was cancelled")

    init(_ reason: ACCAudioRecorderError.Failure.Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// This failure with the address of the server that could not be reached.
    ///
    /// - Parameter isNamed: Whether the configuration names it.
    func atServer(_ address: String, isNamed: Bool) -> CaptureFailure {
        var failure = self
        failure.message += " (server '\(address)')"
        failure.isOfNamedServer = isNamed
        return failure
    }

    /// A failure with a remedy of its own, where more is known than its reason tells.
    init(reason: ACCAudioRecorderError.Failure.Reason, message: String, remedy: String) {
        self.init(reason, message)
        ownRemedy = remedy
    }

    /// What the user can do about it.
    var remedy: String {
        if let ownRemedy { return ownRemedy }
        return switch reason {
        case .noServer where isOfNamedServer:
            "Check the address, and that a sound server accepts connections there."
        case .noServer:
            "Start PulseAudio or PipeWire's PulseAudio server, or set PULSE_SERVER to its address."
        case .noSuchSource:
            "List the sources, and name one of them."
        case .permissionDenied:
            "Record as the user whose session runs the sound server, or set PULSE_COOKIE to its cookie, which must be writable."
        case .timedOut:
            "Check whether the sound server is overloaded or stopped, and try again."
        case .streamKilled:
            "Somebody ended the stream at the server. What was recorded is kept."
        case .cancelled:
            "Try again."
        case .system:
            "End other programs, or raise the limits (ulimit)."
        default:
            "Check the sound server's log, and try again."
        }
    }
}

extension ACCAudioRecorderError.Failure {
    /// Creates a failure from what was being done and the backend's error.
    init(_ what: String, _ failure: CaptureFailure) {
        self.init(failure.reason, what, cause: failure.message, remedy: failure.remedy)
    }
}

/// What the inputs of an application's streams have in common.
final class PlaybackGroup: Sendable {
    /// Wakes whoever takes what they deliver.
    let consumer: ThreadWaker
    private let sounded: Atomic<Bool>
    private let isConnectionClaimed = Atomic<Bool>(false)

    init(consumer: ThreadWaker, hasSounded: Bool) {
        self.consumer = consumer
        sounded = Atomic(hasSounded)
    }

    /// Whether the first sound has come; until then, silence is not captured.
    var hasSounded: Bool {
        get { sounded.load(ordering: .relaxed) }
        set { sounded.store(newValue, ordering: .relaxed) }
    }

    /// Claims the connection of all of them for the stream of one.
    ///
    /// - Returns: Whether no other one has it.
    func claimConnection() -> Bool { !isConnectionClaimed.exchange(true, ordering: .relaxed) }

    func releaseConnection() { isConnectionClaimed.store(false, ordering: .relaxed) }
}
