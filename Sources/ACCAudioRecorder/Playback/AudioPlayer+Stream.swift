import CPulse
import Synchronization

extension AudioPlayer {
    /// A playback stream of the asynchronous API, used by one thread.
    ///
    /// libpulse calls back on the main loop's thread, where the callbacks only count, and wake the thread that uses the
    /// stream.
    struct Stream: ~Copyable {
        private let connection: PulseConnection
        private let stream: OpaquePointer
        /// Retained until the stream is closed, because libpulse has a pointer to it.
        private let signals: Signals
        private let spec: SampleSpec
        private var draining: OpaquePointer?

        /// How much audio the server buffers, in microseconds. A pause or a move takes it back, and so is heard at once.
        private static let bufferTime: pa_usec_t = 2_500_000
        /// How much of it must have arrived before the server starts to play, in microseconds: more than the two seconds that a
        /// sink of PulseAudio may render at once, if nothing played on it; less than the buffer, which is filled in
        /// whole parts.
        private static let startTime: pa_usec_t = 2_200_000

        /// Begins to open a stream; it can be used once `isOpen`.
        ///
        /// - Parameters:
        ///   - name: The name that the server shows.
        ///   - sinkName: The sink; nil for libpulse's default.
        init(
            connection: PulseConnection, name: String, sinkName: String?, spec: SampleSpec, channelMap: ChannelMap,
            signals: Signals
        ) throws(CaptureFailure) {
            guard var map = channelMap.pulse else { throw CaptureFailure(PA_ERR_INVALID) }
            var pulseSpec = spec.pulse
            let opened = connection.mainLoop.locked { () -> Result<OpaquePointer, CaptureFailure> in
                guard let stream = pa_stream_new(connection.context, name, &pulseSpec, &map) else {
                    return .failure(CaptureFailure(code: pa_context_errno(connection.context)))
                }
                Self.setCallbacks(of: stream, signals)
                var attributes = pa_buffer_attr(
                    maxlength: .max, tlength: UInt32(clamping: pa_usec_to_bytes(Self.bufferTime, &pulseSpec)),
                    prebuf: UInt32(clamping: pa_usec_to_bytes(Self.startTime, &pulseSpec)), minreq: .max, fragsize: .max
                )
                let flags = PA_STREAM_INTERPOLATE_TIMING.rawValue | PA_STREAM_AUTO_TIMING_UPDATE.rawValue
                guard pa_stream_connect_playback(stream, sinkName, &attributes, pa_stream_flags_t(flags), nil, nil) >= 0
                else {
                    let failure = CaptureFailure(code: pa_context_errno(connection.context))
                    Self.close(stream)
                    return .failure(failure)
                }
                return .success(stream)
            }
            stream = try opened.get()
            (self.connection, self.signals, self.spec) = (connection, signals, spec)
        }

        deinit {
            connection.mainLoop.locked {
                if let draining {
                    pa_operation_cancel(draining)
                    pa_operation_unref(draining)
                }
                Self.close(stream)
            }
        }

        private static func setCallbacks(of stream: OpaquePointer, _ signals: Signals) {
            let userdata = Unmanaged.passUnretained(signals).toOpaque()
            pa_stream_set_state_callback(stream, { Signals.from($1).waker.wake() }, userdata)
            pa_stream_set_write_callback(stream, { Signals.from($2).waker.wake() }, userdata)
            pa_stream_set_suspended_callback(stream, { Signals.from($1).waker.wake() }, userdata)
            pa_stream_set_moved_callback(stream, { Signals.from($1).waker.wake() }, userdata)
            pa_stream_set_latency_update_callback(
                stream, { Signals.from($1).timingCount.add(1, ordering: .relaxed) }, userdata)
            pa_stream_set_underflow_callback(
                stream,
                {
                    Signals.from($1).underflowCount.add(1, ordering: .relaxed)
                    Signals.from($1).waker.wake()
                }, userdata)
        }

        private static func close(_ stream: OpaquePointer) {
            pa_stream_set_state_callback(stream, nil, nil)
            pa_stream_set_write_callback(stream, nil, nil)
            pa_stream_set_suspended_callback(stream, nil, nil)
            pa_stream_set_moved_callback(stream, nil, nil)
            pa_stream_set_latency_update_callback(stream, nil, nil)
            pa_stream_set_underflow_callback(stream, nil, nil)
            pa_stream_disconnect(stream)
            pa_stream_unref(stream)
        }
    }
}

extension AudioPlayer.Stream {
    /// Whether the stream is open; false while the server has not answered yet.
    ///
    /// - Throws: If it was closed.
    var isOpen: Bool {
        get throws(CaptureFailure) {
            try connection.mainLoop.locked { () -> Result<Bool, CaptureFailure> in
                switch pa_stream_get_state(stream) {
                case PA_STREAM_READY: .success(true)
                case PA_STREAM_CREATING: .success(false)
                default: .failure(CaptureFailure(code: pa_context_errno(connection.context)))
                }
            }.get()
        }
    }

    /// The server's name of the sink that it plays on.
    var sinkName: String? {
        connection.mainLoop.locked { pa_stream_get_device_name(stream).map { String(cString: $0) } }
    }

    /// Whether the sink is suspended, so that nothing is played.
    var isSuspended: Bool { connection.mainLoop.locked { pa_stream_is_suspended(stream) == 1 } }

    /// How many frames the server wants now.
    var writableFrames: Int {
        let count = connection.mainLoop.locked { pa_stream_writable_size(stream) }
        return count == .max ? 0 : count / spec.bytesPerFrame
    }

    /// At which frame the server ran out of audio last, of all that it has played; nil if it did not tell.
    var underflowFrame: Int? {
        let index = connection.mainLoop.locked { pa_stream_get_underflow_index(stream) }
        return index < 0 ? nil : Int(index) / spec.bytesPerFrame
    }

    /// How often the server has told the position.
    var timingCount: Int { signals.timingCount.load(ordering: .relaxed) }

    /// Asks the server for the position.
    func updateTiming() {
        connection.mainLoop.locked { Self.forget(pa_stream_update_timing_info(stream, nil, nil)) }
    }

    /// How many frames were written that are not heard yet; nil until the server has told.
    var framesAhead: Int? {
        connection.mainLoop.locked {
            var latency: pa_usec_t = 0
            var isNegative: Int32 = 0
            guard pa_stream_get_latency(stream, &latency, &isNegative) >= 0 else { return nil }
            return isNegative != 0 ? 0 : Int(Double(latency) * spec.sampleRate / 1e6)
        }
    }

    /// Writes whole frames, which are copied.
    func write(_ bytes: UnsafeRawBufferPointer) {
        // An error also closes the stream, or the connection.
        _ = connection.mainLoop.locked {
            pa_stream_write(stream, bytes.baseAddress, bytes.count, nil, 0, PA_SEEK_RELATIVE)
        }
    }

    /// Pauses or resumes at once.
    func pause(_ isPaused: Bool) {
        connection.mainLoop.locked { Self.forget(pa_stream_cork(stream, isPaused ? 1 : 0, nil, nil)) }
    }

    /// Drops what was written but not heard yet, and whatever waits for its end.
    mutating func flush() {
        let draining = draining.take()
        connection.mainLoop.locked {
            if let draining {
                pa_operation_cancel(draining)
                pa_operation_unref(draining)
            }
            Self.forget(pa_stream_flush(stream, nil, nil))
        }
        signals.isDrained.store(false, ordering: .relaxed)
    }

    /// Asks to be woken, with `isDrained` set, when everything written has been heard.
    mutating func drain() {
        draining = connection.mainLoop.locked {
            pa_stream_drain(
                stream,
                { _, success, userdata in
                    guard success != 0 else { return }
                    Signals.from(userdata).isDrained.store(true, ordering: .releasing)
                    Signals.from(userdata).waker.wake()
                }, Unmanaged.passUnretained(signals).toOpaque())
        }
    }

    /// How often the server has run out of audio, also after a pause or at the end.
    var underflowCount: Int { signals.underflowCount.load(ordering: .relaxed) }

    /// Whether everything written has been heard.
    var isDrained: Bool { signals.isDrained.load(ordering: .acquiring) }

    private static func forget(_ operation: OpaquePointer?) {
        if let operation { pa_operation_unref(operation) }
    }
}

extension AudioPlayer.Stream {
    /// What libpulse's thread tells the thread that plays.
    final class Signals: Sendable {
        let waker = ThreadWaker()
        /// How often the server has run out of audio.
        let underflowCount = Atomic<Int>(0)
        let timingCount = Atomic<Int>(0)
        let isDrained = Atomic<Bool>(false)

        fileprivate static func from(_ userdata: UnsafeMutableRawPointer?) -> Signals {
            Unmanaged<Signals>.fromOpaque(userdata!).takeUnretainedValue()
        }
    }
}
