import Synchronization

/// What is asked of a recording while its engine runs, and how far that is. Any thread may use it, at any time.
final class RecordingControls: Sendable {
    /// The bit pattern of the time limit in seconds.
    private let limitBits = Atomic<UInt64>(Double.infinity.bitPattern)
    private let recorded = Atomic<Int>(0)
    /// The markers and new files that have no frame yet.
    let requests = ActionRequests()
    let mutes = RecordingMutes()
    private let server = Mutex(Server())
    private let broadcast: RecordingBroadcast

    /// A structure, because each access to a closure in a mutex would wrap it once more.
    private struct Server {
        var processing: @Sendable () -> [ProcessingStep] = { [] }
    }

    init(broadcast: RecordingBroadcast) {
        self.broadcast = broadcast
    }

    /// The length in seconds at which the recording ends by itself; infinity, the default, for no limit.
    var limit: Double {
        get { Double(bitPattern: limitBits.load(ordering: .relaxed)) }
        set { limitBits.store(newValue.bitPattern, ordering: .relaxed) }
    }

    /// Frames recorded so far, at the recording's rate. Only the engine sets it.
    var frameCount: Int {
        get { recorded.load(ordering: .relaxed) }
        set { recorded.store(newValue, ordering: .relaxed) }
    }

    /// The server's processing steps so far.
    var serverProcessing: [ProcessingStep] { server.withLock { $0.processing }() }

    /// Sets the closure that returns the server's processing steps so far.
    func setServerProcessings(_ ask: @escaping @Sendable () -> [ProcessingStep]) {
        server.withLock { $0.processing = ask }
    }

    /// Notes that the server has muted a source, or does no longer.
    ///
    /// - Parameter hostTime: When, in CLOCK_MONOTONIC nanoseconds.
    func noteMute(_ isMuted: Bool, of source: AudioSource, at hostTime: UInt64) {
        guard mutes.note(isMuted, of: source.name, at: hostTime) else { return }
        broadcast.events.send(isMuted ? .muted(source) : .unmuted(source))
    }

    /// Requests a marker at the frame captured at this time, in CLOCK_MONOTONIC nanoseconds.
    ///
    /// - Parameter label: The marker's text; nil for its number.
    func requestMarker(_ label: String?, at hostTime: UInt64) {
        requests.add(ActionRequest(kind: .marker(label: label), hostTime: hostTime))
    }

    /// Requests new files from the frame captured at this time, in CLOCK_MONOTONIC nanoseconds.
    func requestNewFiles(at hostTime: UInt64) {
        requests.add(ActionRequest(kind: .newFiles, hostTime: hostTime))
    }
}

/// A request to end a segment whose input goes on. Any thread may use it.
final class EndRequest: Sendable {
    enum State: Int, AtomicRepresentable {
        case none
        /// The segment ends at a time.
        case requested
        /// It ends at that time, or with what has arrived until now.
        case due
    }

    private let time = Atomic<UInt64>(.max)
    private let current = Atomic<State>(.none)

    var state: State { current.load(ordering: .acquiring) }

    /// After which time no frame is recorded, in CLOCK_MONOTONIC nanoseconds; nil without a request.
    var hostTime: UInt64? { state == .none ? nil : time.load(ordering: .relaxed) }

    /// - Parameter hostTime: In CLOCK_MONOTONIC nanoseconds.
    func request(after hostTime: UInt64, isDue: Bool) {
        time.store(hostTime, ordering: .relaxed)
        current.store(isDue ? .due : .requested, ordering: .releasing)
    }

    /// The number of frames of a fragment that are recorded; the largest number without a request, or without a stamp.
    ///
    /// - Parameter sampleRate: The source's, in Hz.
    func framesLeft(of stamp: FragmentStamp?, sampleRate: Int) -> Int {
        guard let hostTime, let stamp else { return .max }
        let count = Double(Int64(bitPattern: hostTime &- stamp.hostTime)) * 1e-9 * Double(sampleRate)
        return Int(min(max(count.rounded(.up), 0), 0x1p53))
    }
}
