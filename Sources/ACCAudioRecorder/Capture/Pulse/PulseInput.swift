import CPulse
import Glibc
import Synchronization

/// An input that captures a source with a stream of the asynchronous API, which the server pins to it.
///
/// What arrives is copied once, into the ring. If the ring is full, libpulse keeps buffering; only when its buffer is nearly
/// full too are frames dropped.
///
/// The stream's events do not retain the input, so a task started by `open` does until the stream is closed.
///
/// `@unchecked Sendable`: all variables are used only under the main loop's lock, which its thread holds when it calls
/// back.
final class PulseInput: CaptureInput, @unchecked Sendable {
    let source: AudioSource
    let ring: CaptureRing
    private let connection: PulseConnection
    private var stream: PulseRecordStream?
    private var writer: FragmentWriter
    private var isSuspended = false
    /// How much had arrived and waited for the ring when the stream was last read, in bytes.
    private var waitingBytes = 0
    private let opened = Promise<CaptureFailure?>()
    private let ended = Promise<CaptureEnd>()

    private init(
        source: AudioSource, settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) {
        self.source = source
        self.connection = connection
        writer = try FragmentWriter(
            source.sampleSpec, fragmentFrames: settings.fragmentFrames, keptLength: settings.keptLength, start: start)
        ring = writer.ring
    }

    /// Begins to open the source in its own format.
    ///
    /// - Parameter connection: The connection that found the source.
    static func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) throws(ACCAudioRecorderError) -> PulseInput {
        let input = try PulseInput(source: source, settings: settings, start: start, connection: connection)
        Task.detached { _ = await input.ended.value }
        connection.mainLoop.locked {
            do throws(CaptureFailure) {
                input.stream = try PulseRecordStream(
                    of: .source(source.name), as: source, fragmentBytes: input.ring.slotBytes,
                    properties: settings.streamProperties, on: connection, asksForTiming: settings.asksForTiming
                ) { [unowned input] in input.handle($0) }
            } catch {
                input.finish(.failed(error))
            }
        }
        return input
    }
}

// MARK: - CaptureInput

extension PulseInput {
    var isOpen: Bool { connection.mainLoop.locked { stream?.isOpen ?? false } }

    var streamIndex: UInt32? {
        get async { connection.mainLoop.locked { stream?.index } }
    }

    func waitUntilOpen() async throws(ACCAudioRecorderError) {
        try await CaptureSettings.wait(for: opened, of: source)
    }

    func begin() {
        connection.mainLoop.locked { writer.startTime = MonotonicClock.now() }
    }

    func stop(_ stop: CaptureStop) async {
        connection.mainLoop.locked {
            switch stop {
            case .after(let hostTime): writer.stopTime = hostTime
            case .now: finish(.stopped)
            }
            readAvailable()
        }
        let rest = Task {
            try await CaptureStop.drain { connection.mainLoop.locked { drain() } }
        }
        _ = await ended.value
        rest.cancel()
    }

    /// Moves what has arrived into the ring, and ends the input when all of it is there.
    ///
    /// - Returns: Whether the input has ended.
    private func drain() -> Bool {
        // Counted in frames from here on: times are no longer stated right once libpulse's buffer is full.
        if writer.stopTime != .max, let block = stream?.nextBlock() { writer.limitToStop(from: block.stamp.hostTime) }
        readAvailable()
        if waitingBytes == 0 { finish(.stopped) }
        return ended.isFulfilled
    }
}

// MARK: - On the main loop

extension PulseInput {
    private func handle(_ event: PulseRecordStream.Event) {
        switch event {
        case .opened:
            if isElsewhere { return finish(.moved) }
            guard opened.fulfil(nil) else { return finish(.stopped) }
            suspensionChanged()
        case .failed(let failure): failed(failure)
        case .readable: readAvailable()
        case .suspensionChanged: suspensionChanged()
        // A server that moves a pinned stream announces this before it delivers a frame of the other source.
        case .moved: if isElsewhere { finish(.moved) }
        }
    }

    /// Ends the input. A killed stream either lost its source or was ended by somebody; the server is asked which.
    private func failed(_ failure: CaptureFailure) {
        switch failure.reason {
        case .streamKilled where opened.isFulfilled:
            Task { [self] in
                let isPresent = try? await connection.source(index: source.id, named: source.name) != nil
                let end: CaptureEnd = isPresent.map { $0 ? .killed : .sourceRemoved } ?? .serverLost
                connection.mainLoop.locked { finish(end) }
            }
        case .noServer:
            finish(.serverLost)
        default:
            finish(.failed(failure))
        }
    }

    private func suspensionChanged() {
        guard let stream, stream.isSuspended != isSuspended else { return }
        isSuspended.toggle()
        readAvailable()
        // What is read may reach the stop.
        guard !ended.isFulfilled else { return }
        writer.append(isSuspended ? .suspended(.suspended) : .resumed())
    }

    /// Whether the stream is on another source; PipeWire may not know the stream's source yet.
    private var isElsewhere: Bool {
        guard let index = stream?.sourceIndex else { return false }
        return ![source.id, accrec_pa_invalid_index].contains(index)
    }

    private func readAvailable() {
        defer { if let stream, stream.isOpen { waitingBytes = stream.queuedBytes } }
        while let stream, let block = stream.nextBlock() {
            guard let bytes = block.bytes else {
                writer.skip(byteCount: block.holeBytes, at: block.stamp.hostTime)
                stream.dropBlock()
                continue
            }
            let outcome = writer.write(bytes, block.stamp)
            if outcome.isComplete { return finish(.stopped) }
            if outcome.byteCount < bytes.count {
                stream.consume(outcome.byteCount)
                // What arrives after a stop may be lost instead.
                guard stream.isQueueFull, !writer.isStopping else { return }
                writer.drop(byteCount: bytes.count - outcome.byteCount)
            }
            stream.dropBlock()
        }
    }

    /// Closes the stream and the ring. What it delivered is in the ring, but for what waited for room there: libpulse lets
    /// nothing be read of a stream that has ended, so that this counts as an overrun.
    private func finish(_ end: CaptureEnd) {
        guard !ended.isFulfilled else { return }
        if stream?.isOpen == false { writer.drop(byteCount: waitingBytes) }
        opened.fulfil(CaptureFailure(opening: end))
        stream?.close()
        stream = nil
        writer.close(end)
        ended.fulfil(end)
    }
}
