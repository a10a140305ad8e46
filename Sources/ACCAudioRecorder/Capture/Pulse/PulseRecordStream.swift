import CPulse
import Glibc

/// A record stream of the asynchronous API, which the server pins to what it records (`PA_STREAM_DONT_MOVE`).
///
/// The main loop's thread is the capture thread: libpulse calls back there. Everything is used only under the main loop's
/// lock, which its thread holds then. The events do not retain the stream, which is closed at the latest with its last
/// reference.
final class PulseRecordStream {
    /// What a stream records.
    enum Target {
        /// A source, by its name.
        case source(String)
        /// What a playback stream plays, by its index.
        case playback(UInt32)
    }

    /// What happens to a stream.
    enum Event {
        case opened
        case failed(CaptureFailure)
        /// Something can be read, perhaps only because the latency is known now.
        case readable
        /// What it records was suspended or resumed.
        case suspensionChanged
        /// The server has moved it, although it is pinned.
        case moved
    }

    /// Audio that has arrived.
    struct Block {
        /// The bytes that were not consumed yet; nil for a hole.
        let bytes: UnsafeRawBufferPointer?
        /// The length of a hole.
        let holeBytes: Int
        /// The stamp of the first frame.
        let stamp: FragmentStamp
    }

    private let connection: PulseConnection
    private let context: OpaquePointer
    private let spec: SampleSpec
    private let isOnPipeWire: Bool
    private let fragmentBytes: Int
    private let onEvent: (Event) -> Void
    /// Whether the server is asked for its timing with each fragment; otherwise libpulse asks now and then, and interpolates.
    private let asksForTiming: Bool
    /// The cycles in which PipeWire captures; nil on PulseAudio, and while the stream is closed.
    private var cycleWatch: PulseCycleWatch?
    /// Whether these are cycles of a sink, and whether what an application plays to it is captured.
    private let isPlayed: Bool
    private let isOfApplication: Bool
    private let filteredSinkIndex: UInt32?
    private var timingQuery: PulseTimingQuery?
    private var answers: PulseTimingQuery.Answers?
    /// How far the sink of a monitor had rendered ahead of what is heard when the stream was opened, in seconds; nil before the
    /// server has stated it.
    private(set) var leadAtOpening: Double?
    private var stream: OpaquePointer?
    /// The size of the block that libpulse shows, and how much of it was already consumed.
    private var (blockBytes, consumedBytes) = (0, 0)
    /// The number of bytes of the blocks that were dropped, holes included.
    private var readBytes: Int64 = 0
    private var arrivals = ArrivalLog()
    /// The pending query about where a pause began.
    private var pauseQuery: OpaquePointer?
    /// Where pauses began that `nextPause` has not returned yet, in bytes of the whole stream.
    private var pausePositions: [Int64] = []

    /// The most pauses within a fragment; more are not told apart.
    private static let mostPauses = 8

    /// An hour, in seconds: a faulty server may state any latency and any length.
    private static let longestTime = 3_600

    /// A number of bytes as libpulse states it, from none to an hour's.
    static func plausible(_ byteCount: Int, _ spec: SampleSpec) -> Int {
        min(max(byteCount, 0), longestTime * spec.rate * spec.bytesPerFrame)
    }

    /// Begins to open a stream.
    ///
    /// - Parameters:
    ///   - source: The format to record in, and the server.
    ///   - fragmentBytes: The number of bytes that the server collects before it delivers them.
    ///   - context: A further connection that the stream is to use, on the main loop of the first; it must outlive the
    ///     stream. Nil for the first.
    ///   - asksForTiming: Whether to ask the server for its timing with each fragment.
    ///   - onEvent: Called on the main loop's thread, until the stream is closed.
    init(
        of target: Target, as source: AudioSource, fragmentBytes: Int, properties streamProperties: [String: String],
        on connection: PulseConnection, through context: PulseContext? = nil, asksForTiming: Bool = false,
        onEvent: @escaping (Event) -> Void
    ) throws(CaptureFailure) {
        self.asksForTiming = asksForTiming && !source.isOnPipeWire
        filteredSinkIndex = source.filteredSinkIndex
        self.connection = connection
        self.context = context?.context ?? connection.context
        self.fragmentBytes = fragmentBytes
        self.onEvent = onEvent
        spec = source.sampleSpec
        isOnPipeWire = source.isOnPipeWire
        if case .playback = target { isOfApplication = true } else { isOfApplication = false }
        isPlayed = isOfApplication || source.sinkIndex != nil || source.filteredSinkIndex != nil
        guard var map = source.channelMap.pulse else { throw CaptureFailure(PA_ERR_INVALID) }
        var spec = source.sampleSpec.pulse
        let properties = pa_proplist_new()
        defer { pa_proplist_free(properties) }
        // Properties set in the environment apply to all streams of the connection and override these.
        for (name, value) in streamProperties where getenv("PULSE_PROP_\(name)") == nil {
            pa_proplist_sets(properties, name, value)
        }
        stream = pa_stream_new_with_proplist(self.context, "Recording", &spec, &map, properties)
        guard let stream, connect(to: target) else {
            let failure = CaptureFailure(code: pa_context_errno(self.context))
            close()
            throw failure
        }
        if let graphRate = source.graphRate {
            let cycles = PulseCycles(
                self.spec, graphRate: graphRate, steadying: isOfApplication ? 2 : isPlayed ? 1 : 0,
                fragmentFrames: fragmentBytes / self.spec.bytesPerFrame)
            cycleWatch = PulseCycleWatch(of: stream, on: self.context, connection.mainLoop, cycles, self.spec) {
                [unowned self] in
                if pa_stream_readable_size(stream) > 0 { self.onEvent(.readable) }
            }
        }
    }

    deinit {
        if connection.mainLoop.isCurrentThread { close() } else { connection.mainLoop.locked { close() } }
    }

    private func connect(to target: Target) -> Bool {
        let userdata = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(stream, { PulseRecordStream.from($1).stateChanged() }, userdata)
        pa_stream_set_read_callback(stream, { PulseRecordStream.from($2).arrived($1) }, userdata)
        // Audio that arrives before the first latency update waits for it.
        pa_stream_set_latency_update_callback(stream, { PulseRecordStream.from($1).latencyUpdated() }, userdata)
        pa_stream_set_suspended_callback(stream, { PulseRecordStream.from($1).suspensionChanged() }, userdata)
        pa_stream_set_moved_callback(stream, { PulseRecordStream.from($1).onEvent(.moved) }, userdata)
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(fragmentBytes))
        let flags = pa_stream_flags_t(
            PA_STREAM_DONT_MOVE.rawValue | PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
                | PA_STREAM_AUTO_TIMING_UPDATE.rawValue)
        switch target {
        case .source(let name):
            return pa_stream_connect_record(stream, name, &attributes, flags) >= 0
        case .playback(let index):
            // Without a name, the server takes the monitor of the sink to which the stream plays now.
            return pa_stream_set_monitor_stream(stream, index) >= 0
                && pa_stream_connect_record(stream, nil, &attributes, flags) >= 0
        }
    }

    private static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseRecordStream {
        Unmanaged<PulseRecordStream>.fromOpaque(userdata!).takeUnretainedValue()
    }

    private func stateChanged() {
        switch stream.map(pa_stream_get_state) {
        case PA_STREAM_READY: onEvent(.opened)
        case PA_STREAM_FAILED: onEvent(.failed(CaptureFailure(code: pa_context_errno(context))))
        default: break
        }
    }

    private func latencyUpdated() {
        leadAtOpening =
            leadAtOpening
            ?? stream.flatMap(pa_stream_get_timing_info).map {
                Double(min($0.pointee.sink_usec, pa_usec_t(Self.longestTime) * 1_000_000)) * 1e-6
            }
        onEvent(.readable)
    }

    private func suspensionChanged() {
        // What follows a suspension was captured later than the answers of before say.
        if !isSuspended {
            timingQuery?.cancel()
            answers = nil
        }
        onEvent(.suspensionChanged)
    }

    /// Closes the stream. No event follows.
    func close() {
        cancelPauseQuery()
        (timingQuery, cycleWatch) = (nil, nil)
        guard let stream else { return }
        pa_stream_set_state_callback(stream, nil, nil)
        pa_stream_set_read_callback(stream, nil, nil)
        pa_stream_set_latency_update_callback(stream, nil, nil)
        pa_stream_set_suspended_callback(stream, nil, nil)
        pa_stream_set_moved_callback(stream, nil, nil)
        pa_stream_disconnect(stream)
        pa_stream_unref(stream)
        self.stream = nil
    }
}

// MARK: - The stream at the server

extension PulseRecordStream {
    /// Whether it is open and has not ended.
    var isOpen: Bool { stream.map(pa_stream_get_state) == PA_STREAM_READY }

    /// Its index at the server; nil unless it is open.
    var index: UInt32? { isOpen ? stream.map(pa_stream_get_index) : nil }

    /// The index of the source that it is on; nil if it is closed.
    var sourceIndex: UInt32? { stream.map(pa_stream_get_device_index) }

    /// Whether what it records is suspended.
    var isSuspended: Bool { stream.map(pa_stream_is_suspended) == 1 }
}

// MARK: - Pauses

/// PipeWire delivers whole fragments only, so one that is incomplete when a pause begins arrives after the pause.
extension PulseRecordStream {
    /// Asks the server how much was captured until now, because a pause has begun.
    func queryPausePosition() {
        cancelPauseQuery()
        guard isOnPipeWire, isOpen else { return }
        pauseQuery = pa_stream_update_timing_info(
            stream, { _, success, userdata in if success != 0 { PulseRecordStream.from(userdata).addPausePosition() } },
            Unmanaged.passUnretained(self).toOpaque())
    }

    /// Cancels the pending query, because the pause has ended: its answer would include what was captured after it.
    func cancelPauseQuery() {
        guard let query = pauseQuery.take() else { return }
        pa_operation_cancel(query)
        pa_operation_unref(query)
    }

    /// How many of the next bytes were captured before the first pause within them; nil if they have none. Each pause is
    /// returned once.
    func nextPause(within byteCount: Int) -> Int? {
        guard !pausePositions.isEmpty, let readIndex = timing?.read_index else { return nil }
        pausePositions.removeAll { $0 < readIndex }
        guard let position = pausePositions.first, UInt64(bitPattern: position &- readIndex) < byteCount else {
            return nil
        }
        pausePositions.removeFirst()
        return Int(position - readIndex) / spec.bytesPerFrame * spec.bytesPerFrame
    }

    private func addPausePosition() {
        guard let position = timing?.write_index, position > pausePositions.last ?? .min,
            pausePositions.count < Self.mostPauses
        else { return }
        pausePositions.append(position)
    }

    private var timing: pa_timing_info? {
        guard let info = stream.flatMap(pa_stream_get_timing_info)?.pointee, info.write_index_corrupt == 0,
            info.read_index_corrupt == 0
        else { return nil }
        return info
    }
}

// MARK: - What arrives

extension PulseRecordStream {
    /// The next block, or the rest of it; nil if nothing has arrived, or before the server has reported its latency.
    func nextBlock() -> Block? {
        // Asked first, because the latency costs more.
        guard let stream, pa_stream_readable_size(stream) > 0, let latency = latency(of: stream) else { return nil }
        var data: UnsafeRawPointer?
        var count = 0
        guard pa_stream_peek(stream, &data, &count) >= 0, count > 0 else { return nil }
        // Libpulse ends the program when a part of a frame is dropped, which only a faulty server sends.
        guard count % spec.bytesPerFrame == 0 else {
            close()
            onEvent(.failed(CaptureFailure(PA_ERR_PROTOCOL)))
            return nil
        }
        let arrivalTime = arrivals.time(ofByteBefore: readBytes + Int64(count)) ?? MonotonicClock.now()
        guard let cycle = cycle(ofBytes: count, arrivedAt: arrivalTime) else { return nil }
        blockBytes = count
        let stamp = stamp(latency: latency, arrivalTime: arrivalTime, cycle)
        guard let data else { return Block(bytes: nil, holeBytes: Self.plausible(count, spec), stamp: stamp) }
        let bytes = UnsafeRawBufferPointer(start: data + consumedBytes, count: count - consumedBytes)
        return Block(bytes: bytes, holeBytes: 0, stamp: stamp)
    }

    /// Keeps the rest of the block for later.
    func consume(_ byteCount: Int) {
        consumedBytes += byteCount
    }

    /// Ends the block.
    func dropBlock() {
        consumedBytes = 0
        readBytes += Int64(blockBytes)
        blockBytes = 0
        if let stream { pa_stream_drop(stream) }
    }

    /// - Parameter readable: The number of bytes that can be read.
    private func arrived(_ readable: Int) {
        arrivals.add(upTo: readBytes + Int64(readable), at: MonotonicClock.now())
        if asksForTiming { queryTiming() }
        cycleWatch?.update(changeCount: connection.changeCount)
        onEvent(.readable)
    }

    /// Asks for the server's timing, unless an answer is still to come.
    private func queryTiming() {
        if timingQuery == nil, let stream {
            timingQuery = PulseTimingQuery(of: stream, filteredSinkIndex: filteredSinkIndex) { [unowned self] in
                noteTiming(of: $0, hostTime: $1)
            }
        }
        timingQuery?.ask()
    }

    /// The cycle that completed the next block; nil if that is known soon.
    private func cycle(ofBytes count: Int, arrivedAt arrivalTime: UInt64) -> PulseCycles.Cycle? {
        guard let cycleWatch, let timing else { return PulseCycles.Cycle(length: 0, wait: 0) }
        return cycleWatch.cycle(ofBlockUntil: timing.read_index &+ Int64(count), arrivedAt: arrivalTime)
    }

    /// Notes when byte 0 was captured.
    private func noteTiming(of bytes: Int64, hostTime: Double) {
        let start = hostTime - Double(bytes) / Double(spec.bytesPerFrame * spec.rate) * 1e9
        if answers == nil {
            answers = .init(bytes: bytes, start: start)
            onEvent(.readable)
        } else {
            answers?.add(bytes: bytes, start: start)
        }
    }

    /// How many bytes have arrived and are not consumed yet.
    var queuedBytes: Int {
        stream.map { max(Self.plausible(pa_stream_readable_size($0), spec) - consumedBytes, 0) } ?? 0
    }

    /// Whether libpulse's buffer may soon overflow.
    var isQueueFull: Bool {
        guard let stream else { return false }
        let most = pa_stream_get_buffer_attr(stream).map { Int($0.pointee.maxlength) } ?? 0
        return pa_stream_readable_size(stream) > most / 4 * 3
    }

    /// How long ago the first frame of the next block was captured, in nanoseconds; nil until the server has reported
    /// its latency.
    private func latency(of stream: OpaquePointer) -> UInt64? {
        if asksForTiming {
            guard let statedStart = answers?.start else { return nil }
            let read = Double(readBytes) / Double(spec.bytesPerFrame * spec.rate) * 1e9
            // A faulty server may state any index.
            let longest = Double(Self.longestTime) * 1e9
            return UInt64(min(max(Double(MonotonicClock.now()) - statedStart - read, 0), longest))
        }
        var latency: pa_usec_t = 0
        var isNegative: Int32 = 0
        guard pa_stream_get_latency(stream, &latency, &isNegative) >= 0 else { return nil }
        return isNegative != 0 ? 0 : min(latency, pa_usec_t(Self.longestTime) * 1_000_000) * 1_000
    }

    /// How long the source keeps a frame before it delivers it, as PipeWire states it, in nanoseconds.
    private var sourceLatency: Int64? {
        guard let timing else { return nil }
        let longest = pa_usec_t(Self.longestTime) * 1_000_000
        return 1_000 * (Int64(min(timing.source_usec, longest)) - Int64(min(timing.sink_usec, longest)))
    }

    /// The stamp of the unread rest of the block that libpulse shows.
    private func stamp(latency: UInt64, arrivalTime: UInt64, _ cycle: PulseCycles.Cycle) -> FragmentStamp {
        let now = MonotonicClock.now()
        // What an application plays arrives at the beginning of its cycle, everything else at the end.
        let later = Int64(((isOfApplication ? cycle.length : 0) - cycle.wait) * 1e9)
        let consumedTime = UInt64(consumedBytes / spec.bytesPerFrame) * 1_000_000_000 / UInt64(spec.rate)
        let block = isOnPipeWire ? 1.5 * Double(fragmentBytes) : Double(min(blockBytes, fragmentBytes))
        return FragmentStamp(
            hostTime: UInt64(max(Int64(now - min(latency, now) + consumedTime) + later, 0)), isAsked: asksForTiming,
            sourceLatency: isOnPipeWire ? sourceLatency : nil,
            arrivalTime: UInt64(max(Int64(arrivalTime) + later, 0)),
            cycle: isOnPipeWire && isPlayed ? cycle.length : nil,
            timeAsleep: MonotonicClock.timeAsleep(), changeCount: connection.changeCount,
            // PulseAudio drops whole blocks and continues with the one being captured. PipeWire keeps most of the
            // newest fragment, as measured.
            keptLength: block / 2 / Double(spec.bytesPerFrame * spec.rate))
    }
}
