import CPulse
import Glibc
import Synchronization

/// A record stream of the asynchronous API, which the server pins to its source (`PA_STREAM_DONT_MOVE`).
///
/// The main loop's thread is the capture thread: libpulse calls back there with what has arrived, which is copied once,
/// into the ring. If the ring is full, libpulse keeps buffering; only when its buffer is nearly full too are frames
/// dropped.
///
/// libpulse's callbacks do not retain the input, so a task started by `open` does until the stream is disconnected.
///
/// `@unchecked Sendable`: all variables are used only under the main loop's lock, which its thread holds when it calls
/// back.
final class PulseInput: CaptureInput, @unchecked Sendable {
    let source: AudioSource
    let ring: CaptureRing
    private let connection: PulseConnection
    private var stream: OpaquePointer?
    private var writer: FragmentWriter
    /// How much was already written of the block that libpulse shows.
    private var consumedBytes = 0
    private var isSuspended = false
    private let opened = Promise<CaptureFailure?>()
    private let ended = Promise<CaptureEnd>()

    /// An hour, in microseconds: a faulty server may state any latency.
    private static let longestLatency: pa_usec_t = 3_600_000_000

    private init(source: AudioSource, settings: CaptureSettings, start: CaptureStart, connection: PulseConnection) {
        self.source = source
        self.connection = connection
        writer = FragmentWriter(
            source.sampleSpec, fragmentFrames: settings.fragmentFrames, keptLength: settings.keptLength, start: start)
        ring = writer.ring
    }

    /// Begins to open the source in its own format.
    ///
    /// - Parameter control: The connection that found the source.
    static func open(
        _ source: AudioSource, _ settings: CaptureSettings, start: CaptureStart, connection: PulseConnection
    ) -> PulseInput {
        let input = PulseInput(source: source, settings: settings, start: start, connection: connection)
        Task.detached { _ = await input.ended.value }
        connection.mainLoop.locked {
            if let failure = input.connect(settings) { input.finish(.failed(failure)) }
        }
        return input
    }
}

// MARK: - CaptureInput

extension PulseInput {
    var isOpen: Bool {
        connection.mainLoop.locked { stream.map(pa_stream_get_state) == PA_STREAM_READY }
    }

    var streamIndex: UInt32? {
        get async {
            connection.mainLoop.locked {
                stream.flatMap { pa_stream_get_state($0) == PA_STREAM_READY ? pa_stream_get_index($0) : nil }
            }
        }
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
        let watchdog = Task {
            // A deadline; cancelled when the source has delivered everything captured until the stop.
            try await Task.sleep(for: CaptureStop.grace)
            connection.mainLoop.locked { finish(.stopped) }
        }
        _ = await ended.value
        watchdog.cancel()
    }
}

// MARK: - On the main loop

extension PulseInput {
    private func connect(_ settings: CaptureSettings) -> CaptureFailure? {
        guard var map = source.channelMap.pulse else { return CaptureFailure(PA_ERR_INVALID) }
        var spec = source.sampleSpec.pulse
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        // Properties set in the environment apply to all streams of the connection and override these.
        for (name, value) in settings.streamProperties where getenv("PULSE_PROP_\(name)") == nil {
            pa_proplist_sets(properties, name, value)
        }
        guard let stream = pa_stream_new_with_proplist(connection.context, "Recording", &spec, &map, properties) else {
            return CaptureFailure(code: pa_context_errno(connection.context))
        }
        self.stream = stream
        let input = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(stream, { PulseInput.from($1).stateChanged() }, input)
        pa_stream_set_read_callback(stream, { PulseInput.from($2).readAvailable() }, input)
        // Audio that arrives before the first latency update waits for it.
        pa_stream_set_latency_update_callback(stream, { PulseInput.from($1).readAvailable() }, input)
        pa_stream_set_suspended_callback(stream, { PulseInput.from($1).suspensionChanged() }, input)
        pa_stream_set_moved_callback(stream, { PulseInput.from($1).moved() }, input)
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(ring.slotBytes))
        let flags =
            PA_STREAM_DONT_MOVE.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
            | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
        guard pa_stream_connect_record(stream, source.name, &attributes, pa_stream_flags_t(flags)) >= 0 else {
            return CaptureFailure(code: pa_context_errno(connection.context))
        }
        return nil
    }

    private static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseInput {
        Unmanaged<PulseInput>.fromOpaque(userdata!).takeUnretainedValue()
    }

    private func stateChanged() {
        guard let stream else { return }
        switch pa_stream_get_state(stream) {
        case PA_STREAM_READY:
            if isElsewhere(stream) { return finish(.moved) }
            guard opened.fulfil(nil) else { return finish(.stopped) }
            suspensionChanged()
        case PA_STREAM_FAILED:
            failed(CaptureFailure(code: pa_context_errno(connection.context)))
        default:
            break
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
        guard let stream, (pa_stream_is_suspended(stream) == 1) != isSuspended else { return }
        isSuspended.toggle()
        readAvailable()
        writer.append(isSuspended ? .suspended : .resumed)
    }

    /// A server that moves a pinned stream announces this before it delivers a frame of the other source.
    private func moved() {
        if let stream, isElsewhere(stream) { finish(.moved) }
    }

    /// Whether the stream is on another source; PipeWire may not know the stream's source yet.
    private func isElsewhere(_ stream: OpaquePointer) -> Bool {
        ![source.id, accrec_pa_invalid_index].contains(pa_stream_get_device_index(stream))
    }

    private func readAvailable() {
        while let stream, let latency = latency(of: stream) {
            var data: UnsafeRawPointer?
            var count = 0
            guard pa_stream_peek(stream, &data, &count) >= 0, count > 0 else { return }
            guard let data else {
                writer.skip(byteCount: count)
                pa_stream_drop(stream)
                continue
            }
            let bytes = UnsafeRawBufferPointer(start: data + consumedBytes, count: count - consumedBytes)
            let outcome = writer.write(bytes, stamp(latency: latency, blockBytes: count))
            consumedBytes += outcome.byteCount
            if outcome.isComplete { return finish(.stopped) }
            if consumedBytes < count {
                guard isQueueFull(stream) else { return }
                writer.drop(byteCount: count - consumedBytes)
            }
            pa_stream_drop(stream)
            consumedBytes = 0
        }
    }

    /// How long ago the first frame of the next block was captured, in nanoseconds; nil until the server has reported
    /// its latency.
    private func latency(of stream: OpaquePointer) -> UInt64? {
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        guard pa_stream_get_latency(stream, &latency, &isNegative) >= 0 else { return nil }
        return isNegative != 0 ? 0 : min(latency, Self.longestLatency) * 1_000
    }

    /// - Parameter blockBytes: The size of the block that libpulse shows, of which some may be consumed already.
    private func stamp(latency: UInt64, blockBytes: Int) -> FragmentStamp {
        let spec = source.sampleSpec
        let now = MonotonicClock.now()
        let consumedTime = UInt64(consumedBytes / spec.bytesPerFrame) * 1_000_000_000 / UInt64(spec.sampleRate)
        let block = source.isOnPipeWire ? 1.5 * Double(ring.slotBytes) : Double(min(blockBytes, ring.slotBytes))
        return FragmentStamp(
            hostTime: now - min(latency, now) + consumedTime, arrivalTime: now,
            timeAsleep: MonotonicClock.timeAsleep(), changeCount: connection.changeCount,
            // PulseAudio drops whole blocks and continues with the one being captured. PipeWire keeps most of the
            // newest fragment, as measured.
            keptLength: block / 2 / Double(spec.bytesPerFrame * spec.sampleRate))
    }

    /// Whether libpulse's buffer may soon overflow.
    private func isQueueFull(_ stream: OpaquePointer) -> Bool {
        let most = pa_stream_get_buffer_attr(stream).map { Int($0.pointee.maxlength) } ?? 0
        return pa_stream_readable_size(stream) > most / 4 * 3
    }

    /// Closes the stream and the ring; everything it delivered is in the ring.
    private func finish(_ end: CaptureEnd) {
        guard !ended.isFulfilled else { return }
        if case .failed(let failure) = end {
            opened.fulfil(failure)
        } else {
            opened.fulfil(CaptureFailure(PA_ERR_KILLED))
        }
        if let stream {
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_set_read_callback(stream, nil, nil)
            pa_stream_set_latency_update_callback(stream, nil, nil)
            pa_stream_set_suspended_callback(stream, nil, nil)
            pa_stream_set_moved_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
        stream = nil
        writer.close(end)
        ended.fulfil(end)
    }
}
