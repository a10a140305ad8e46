import CPulse

/// Asks PipeWire how much of a record stream it has captured, while its cycles are watched: see `PulseCycles`.
///
/// Used only under the main loop's lock, which its thread holds when it calls back. The callbacks do not retain the watch, which
/// cancels what is pending with its last reference.
final class PulseCycleWatch {
    private let stream: OpaquePointer
    // That of a stream that has ended is gone.
    private let context: OpaquePointer
    private let mainLoop: PulseMainLoop
    private let bytesPerFrame: Int64
    private let onAnswer: () -> Void
    private var cycles: PulseCycles
    private var query: OpaquePointer?
    private var timer: OpaquePointer?
    private var changeCount = -1

    /// How long after one question the next one is asked, in microseconds.
    private static let interval: pa_usec_t = 2_000

    /// - Parameters:
    ///   - stream: It must outlive the watch, and so must its context.
    ///   - onAnswer: Called when more may be known.
    init(
        of stream: OpaquePointer, on context: OpaquePointer, _ mainLoop: PulseMainLoop, _ cycles: PulseCycles,
        _ spec: SampleSpec,
        onAnswer: @escaping () -> Void
    ) {
        self.stream = stream
        self.context = context
        self.mainLoop = mainLoop
        self.cycles = cycles
        self.onAnswer = onAnswer
        bytesPerFrame = Int64(spec.bytesPerFrame)
    }

    deinit {
        cancelQuery()
        if let timer { mainLoop.api.pointee.time_free(timer) }
    }

    /// Asks, if other clients have come or gone, or have done so before and cycles are not known yet.
    ///
    /// - Parameter changeCount: How many changes the server has announced.
    func update(changeCount: Int) {
        if changeCount != self.changeCount {
            self.changeCount = changeCount
            cycles.watch(at: MonotonicClock.now())
        }
        if cycles.isWatched { ask() }
    }

    /// The cycle that completed a block: see `PulseCycles`.
    ///
    /// - Parameter end: The number of bytes of the stream at the end of the block.
    func cycle(ofBlockUntil end: Int64, arrivedAt arrivalTime: UInt64) -> PulseCycles.Cycle? {
        let cycle = cycles.cycle(
            ofFragmentUntil: end / bytesPerFrame, arrivedAt: arrivalTime, now: MonotonicClock.now())
        if cycle == nil { ask() }
        return cycle
    }

    private func ask() {
        startTimer()
        if let query, pa_operation_get_state(query) == PA_OPERATION_RUNNING { return }
        cancelQuery()
        query = pa_stream_update_timing_info(
            stream, { if $1 != 0 { PulseCycleWatch.from($2).note() } }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func cancelQuery() {
        guard let query = query.take() else { return }
        pa_operation_cancel(query)
        pa_operation_unref(query)
    }

    private func startTimer() {
        let time = pa_rtclock_now() + Self.interval
        if let timer {
            pa_context_rttime_restart(context, timer, time)
        } else {
            timer = pa_context_rttime_new(
                context, time, { PulseCycleWatch.from($3).elapsed() }, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private func elapsed() {
        if cycles.isWatched { ask() }
        onAnswer()
    }

    private func note() {
        guard let info = pa_stream_get_timing_info(stream)?.pointee, info.write_index_corrupt == 0 else { return }
        cycles.note(captured: info.write_index / bytesPerFrame, at: MonotonicClock.now())
        onAnswer()
    }

    private static func from(_ userdata: UnsafeMutableRawPointer?) -> PulseCycleWatch {
        Unmanaged<PulseCycleWatch>.fromOpaque(userdata!).takeUnretainedValue()
    }
}
