import Synchronization

@testable import ACCAudioRecorder

/// A sound server in memory, of which a test decides everything: its sources, calls and default, the order in which it
/// announces changes and ends streams, and by its clock when frames arrive.
///
/// Frame n of each source is captured when the clock shows n / 48,000 s. Its first channel has the number n, its second the
/// index of the source.
final class MemoryServer: CaptureBackend {
    private struct State {
        var sources: [AudioSource] = []
        var nextIndex: UInt32 = 0
        var calls: Set<CallStream> = []
        var isAlive = true
        var clients: [Client] = []
        var inputs: [MemoryInput] = []
        var timesAsked = 0
    }

    /// A connection, until the client lets go of it.
    private struct Client {
        weak let connection: MemoryConnection?
    }

    static let sampleSpec = SampleSpec(format: .float32LE, sampleRate: 48_000, channelCount: 2)
    private static let startTime: UInt64 = 1_000_000_000_000

    let clock = SyntheticClock()
    /// How much later than in truth frames were captured, as the server states it.
    let statedDelay = Mutex(Duration.zero)
    private let state = Mutex(State())

    /// Creates a server with a microphone of each name; the first is the default.
    init(_ names: String...) {
        for name in names { plugIn(name) }
    }

    /// A recorder of the server's sources, in their format.
    func recorder(
        of name: String?, _ interruptions: InterruptionPolicy = .init(),
        _ change: (inout ACCAudioRecorder.Configuration) -> Void = { _ in }
    ) -> ACCAudioRecorder {
        var configuration = ACCAudioRecorder.Configuration(
            sampleRate: 48_000, channelCount: 2, bufferSize: 480, input: .source(name))
        configuration.interruptions = interruptions
        change(&configuration)
        return ACCAudioRecorder(configuration, self, RecorderClock(clock))
    }

    // MARK: What its clients see

    func now() -> UInt64 {
        let now = Self.hostTime(of: clock)
        state.withLock { $0.timesAsked += 1 }
        return now
    }

    /// How often a recorder has asked for the time.
    var timesAsked: Int { state.withLock { $0.timesAsked } }

    private static func hostTime(of clock: SyntheticClock) -> UInt64 {
        startTime + UInt64(clock.now.elapsed / .nanoseconds(1))
    }

    func connect() async throws(CaptureFailure) -> any CaptureConnection {
        let connection = MemoryConnection(self)
        let isAlive = state.withLock { state in
            if state.isAlive { state.clients.append(Client(connection: connection)) }
            return state.isAlive
        }
        guard isAlive else { throw CaptureFailure(.noServer, "Connection refused") }
        return connection
    }

    var sources: [AudioSource] { state.withLock { $0.sources } }

    var calls: Set<CallStream> { state.withLock { $0.calls } }

    /// Opens a source; nil if it is gone.
    func open(
        _ source: AudioSource, _ settings: CaptureSettings, _ start: CaptureStart
    ) throws(ACCAudioRecorderError) -> MemoryInput? {
        guard sources.contains(where: { $0.id == source.id }) else { return nil }
        let input = try MemoryInput(source, settings, start) { [clock] in Self.hostTime(of: clock) }
        state.withLock { $0.inputs.append(input) }
        return input
    }

    // MARK: What the test does

    /// The number of streams that are open.
    var streamCount: Int { state.withLock { $0.inputs.count(where: \.isOpen) } }

    /// Moves the clock, while the open streams deliver.
    func advance(by duration: Duration) async throws {
        let time = clock.now.elapsed + duration
        let frames = Self.frame(at: clock.now.elapsed)..<Self.frame(at: time)
        for input in state.withLock({ $0.inputs.filter(\.isOpen) }) {
            try await input.deliver(frames, statedLaterBy: statedDelay.withLock { $0 }) {
                Self.startTime + UInt64($0) * 1_000_000_000 / 48_000
            }
        }
        clock.advance(by: duration)
    }

    private static func frame(at time: Duration) -> Int { Int(time / .nanoseconds(1) * 48_000 / 1_000_000_000) }

    /// Adds a source with a new index.
    func plugIn(_ name: String, isAnnounced: Bool = true) {
        let index = state.withLock { state in
            let index = state.nextIndex
            state.nextIndex += 1
            state.sources.append(
                AudioSource(
                    id: index, name: name, sampleSpec: Self.sampleSpec, isDefault: state.sources.isEmpty, kind: .usb))
            return index
        }
        if isAnnounced { announce(.source(.added, index)) }
    }

    /// Removes a source, without announcing it or ending its streams.
    ///
    /// - Returns: The source.
    @discardableResult
    func remove(_ name: String) -> AudioSource? {
        state.withLock { state in
            let source = state.sources.first { $0.name == name }
            state.sources.removeAll { $0.name == name }
            if source?.isDefault == true, !state.sources.isEmpty { state.sources[0].isDefault = true }
            return source
        }
    }

    /// Ends the streams of a source.
    func endStreams(of source: AudioSource?, _ end: CaptureEnd = .sourceRemoved) {
        for input in state.withLock({ $0.inputs }) where input.source.id == source?.id { input.end(end) }
    }

    /// Lets the streams that are open fail when they are stopped.
    func failStops(_ failure: CaptureFailure) {
        for input in state.withLock({ $0.inputs }) { input.endOfStop.withLock { $0 = .failed(failure) } }
    }

    /// Removes a source, announces it, and ends its streams.
    func unplug(_ name: String) {
        guard let source = remove(name) else { return }
        announce(.source(.removed, source.id))
        endStreams(of: source)
    }

    /// Makes a source the default.
    func setDefault(_ name: String) {
        state.withLock { state in
            for index in state.sources.indices { state.sources[index].isDefault = state.sources[index].name == name }
        }
        announce(.server)
    }

    /// Begins a call, whose stream has this index.
    func beginCall(_ index: UInt32, isPlayback: Bool = true, by owner: StreamOwner = .init()) {
        state.withLock { state in
            _ = state.calls.insert(CallStream(isPlayback: isPlayback, index: index, owner: owner))
        }
        announce(isPlayback ? .playback(.added, index) : .stream(.added, index))
    }

    /// Ends a call.
    func endCall(_ index: UInt32, isPlayback: Bool = true) {
        state.withLock { state in
            state.calls = state.calls.filter { $0.index != index || $0.isPlayback != isPlayback }
        }
        announce(isPlayback ? .playback(.removed, index) : .stream(.removed, index))
    }

    /// Ends the server, and with it all connections and streams.
    func kill() {
        let (clients, inputs) = state.withLock { state in
            defer { (state.clients, state.inputs, state.isAlive) = ([], [], false) }
            return (state.clients, state.inputs)
        }
        for client in clients { client.connection?.close() }
        for input in inputs { input.end(.serverLost) }
    }

    /// Starts the server that was killed again, with the same sources.
    func restart() {
        state.withLock { $0.isAlive = true }
    }

    /// Tells all clients of a change.
    func announce(_ change: ServerChange) {
        for client in state.withLock({ $0.clients }) { client.connection?.send(change) }
    }
}
