import CPulse
import Synchronization

/// A record stream of the simple API, read by its own thread: for servers on which a pinned stream fails.
///
/// The simple API can neither pin a stream nor say which source it is on. PipeWire pins it by a property. PulseAudio is
/// asked after each fragment, which is delivered only if the stream is still on its source; a moved stream ends.
///
/// `@unchecked Sendable`: `writer` belongs to the thread; everything else is constant, atomic, or safe for any thread. The ring
/// is closed once, by whoever fulfils `ended`: by `abandon` while the thread may still append, which its consumer then
/// ignores.
final class SimpleInput: CaptureInput, @unchecked Sendable {
    let source: AudioSource
    let ring: CaptureRing
    private let connection: PulseConnection
    private let settings: CaptureSettings
    /// The stream's name at the server, by which it is found there.
    private let streamName: String
    private var writer: FragmentWriter
    private let startTime: Atomic<UInt64>
    private let stopTime = Atomic<UInt64>(.max)
    private let opened = Promise<CaptureFailure?>()
    private let ended = Promise<CaptureEnd>()

    private static let count = Atomic<Int>(0)
    /// How long the server has to end a blocked read.
    private static let wakingDeadline = Duration.milliseconds(150)

    private init(
        source: AudioSource, settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) {
        self.source = source
        self.settings = settings
        self.connection = connection
        streamName = "Recording \(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        writer = try FragmentWriter(
            source.sampleSpec, fragmentFrames: settings.fragmentFrames, keptLength: settings.keptLength, start: start)
        startTime = Atomic(writer.startTime)
        ring = writer.ring
    }

    /// Begins to open the source in its own format.
    ///
    /// - Parameter connection: The connection that found the source.
    static func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) -> SimpleInput {
        let input = try SimpleInput(source: source, settings: settings, start: start, connection: connection)
        try DetachedThread.start("capture") { input.run() }
        return input
    }
}

// MARK: - CaptureInput

extension SimpleInput {
    var isOpen: Bool { opened.isFulfilled && !ended.isFulfilled }

    var streamIndex: UInt32? {
        get async { try? await connection.sourceOutputs(ofStream: streamName).first?.index }
    }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {
        try await CaptureSettings.wait(for: opened, of: source)
    }

    func begin() {
        startTime.store(MonotonicClock.now(), ordering: .relaxed)
    }

    func stop(_ stop: CaptureStop) async {
        let grace: Duration
        switch stop {
        case .after(let hostTime):
            stopTime.store(hostTime, ordering: .relaxed)
            grace = CaptureStop.grace
        case .now:
            stopTime.store(0, ordering: .relaxed)
            grace = .zero
        }
        let watchdog = Task {
            // These deadlines are cancelled as soon as the thread has finished; it cannot notice a stop while its read
            // is blocked.
            try await Task.sleep(for: grace)
            let waking = Task { await wakeBlockedRead() }
            defer { waking.cancel() }
            try await Task.sleep(for: Self.wakingDeadline)
            abandon()
        }
        _ = await ended.value
        watchdog.cancel()
    }

    private func wakeBlockedRead() async {
        do {
            for stream in try await connection.sourceOutputs(ofStream: streamName) {
                try await connection.killSourceOutput(stream.index)
            }
        } catch {
            abandon()
        }
    }

    /// Ends the input although its thread may stay blocked in a read, because the server no longer answers. What it has
    /// delivered is in the ring.
    private func abandon() {
        if ended.fulfil(.stopped) { ring.close(.stopped) }
    }
}

// MARK: - The thread

extension SimpleInput {
    private var properties: [String: String] {
        // Does for PipeWire what `PA_STREAM_DONT_MOVE` does in the asynchronous API.
        let pin = source.isOnPipeWire ? ["node.dont-reconnect": "true"] : [:]
        return settings.streamProperties.merging(pin) { $1 }
    }

    private func run() {
        let end: CaptureEnd
        do {
            let stream = try SimpleStream(
                source: source, serverName: connection.serverName, streamName: streamName,
                properties: properties, fragmentBytes: ring.slotBytes)
            end = opened.fulfil(nil) ? capture(from: stream) : .stopped
        } catch {
            opened.fulfil(error)
            end = .failed(error)
        }
        if ended.fulfil(end) { writer.close(end) }
    }

    private func capture(from stream: borrowing SimpleStream) -> CaptureEnd {
        let fragment = UnsafeMutableRawBufferPointer.allocate(byteCount: ring.slotBytes, alignment: 64)
        defer { fragment.deallocate() }
        while true {
            let (byteCount, latency, arrivalTime, end) = fill(fragment, from: stream)
            guard isOnSource else { return (try? connection.waitForSource(source)) == false ? .sourceRemoved : .moved }
            writer.startTime = min(writer.startTime, startTime.load(ordering: .relaxed))
            writer.stopTime = stopTime.load(ordering: .relaxed)
            let bytes = UnsafeRawBufferPointer(rebasing: fragment[..<byteCount])
            let outcome = writer.write(bytes, stamp(byteCount: byteCount, latency: latency, arrivalTime: arrivalTime))
            if outcome.isComplete { return .stopped }
            if outcome.byteCount < byteCount { writer.drop(byteCount: byteCount - outcome.byteCount) }
            if let end { return end }
        }
    }

    /// Reads a fragment, or what there is of it before the end, in steps of 2 ms, so that a read that has to be ended
    /// loses no more than that.
    ///
    /// - Returns: Also the latency after the last frame, and when that arrived, both in nanoseconds.
    private func fill(
        _ fragment: UnsafeMutableRawBufferPointer, from stream: borrowing SimpleStream
    ) -> (byteCount: Int, latency: UInt64, arrivalTime: UInt64, end: CaptureEnd?) {
        let step = max(source.sampleSpec.rate / 500, 1) * source.sampleSpec.bytesPerFrame
        var filled = 0
        var arrivalTime = MonotonicClock.now()
        while filled < fragment.count {
            let part = UnsafeMutableRawBufferPointer(rebasing: fragment[filled..<min(filled + step, fragment.count)])
            do {
                try stream.read(into: part)
            } catch {
                // No latency: the earlier steps arrived at `arrivalTime`, however long this read was blocked.
                return (filled, 0, arrivalTime, end(for: error))
            }
            filled += part.count
            arrivalTime = MonotonicClock.now()
            let stopTime = stopTime.load(ordering: .relaxed)
            if stopTime != .max {
                let latency = stream.latency()
                if arrivalTime - min(latency, arrivalTime) >= stopTime {
                    return (filled, latency, arrivalTime, .stopped)
                }
            }
        }
        return (filled, stream.latency(), arrivalTime, nil)
    }

    private func end(for failure: CaptureFailure) -> CaptureEnd {
        switch failure.reason {
        case .streamKilled where stopTime.load(ordering: .relaxed) != .max: .stopped
        case .streamKilled: (try? connection.waitForSource(source)) == false ? .sourceRemoved : .killed
        case .noServer: .serverLost
        default: .failed(failure)
        }
    }

    /// Whether the stream is on its source, according to the server, or has already ended. If the connection is broken,
    /// what was read before came from the source.
    private var isOnSource: Bool {
        if source.isOnPipeWire { return true }
        guard let stream = try? connection.waitForSourceOutput(named: streamName) else { return true }
        return stream.sourceIndex == source.id
    }

    private func stamp(byteCount: Int, latency: UInt64, arrivalTime: UInt64) -> FragmentStamp {
        let spec = source.sampleSpec
        let frames = UInt64(byteCount / spec.bytesPerFrame)
        let age = latency + frames * 1_000_000_000 / UInt64(spec.rate)
        return FragmentStamp(
            hostTime: arrivalTime - min(age, arrivalTime), arrivalTime: arrivalTime,
            timeAsleep: MonotonicClock.timeAsleep(),
            changeCount: connection.changeCount,
            keptLength: Double(ring.slotBytes) / 2 / Double(spec.bytesPerFrame * spec.rate))
    }
}
