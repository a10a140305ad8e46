import CPulse
import Glibc
import Synchronization

/// A record stream of the simple API. Used only by the capture thread.
struct SimpleStream: ~Copyable {
    private let handle: OpaquePointer
    /// An hour, in microseconds.
    private static let longestLatency: pa_usec_t = 3_600_000_000

    /// Opens the source with exactly the given sample spec and channel map. Takes 2–3 ms.
    ///
    /// - Parameters:
    ///   - properties: The stream's properties at the server.
    ///   - fragmentBytes: The number of bytes that the server collects before it delivers them.
    init(
        source: AudioSource, serverName: String?, streamName: String, properties: [String: String],
        fragmentBytes: Int
    ) throws(CaptureFailure) {
        guard var map = source.channelMap.pulse else { throw CaptureFailure(PA_ERR_INVALID) }
        var spec = source.sampleSpec.pulse
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(fragmentBytes))
        var error: Int32 = 0
        let handle = PulseEnvironment.with(properties) {
            pa_simple_new(
                serverName, nil, PA_STREAM_RECORD, source.name, streamName, &spec, &map, &attributes, &error)
        }
        guard let handle else { throw CaptureFailure(code: error) }
        self.handle = handle
    }

    deinit {
        pa_simple_free(handle)
    }

    /// Fills `buffer` with whole frames; blocks until the source has delivered them.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureFailure) {
        var error: Int32 = 0
        guard pa_simple_read(handle, buffer.baseAddress, buffer.count, &error) >= 0 else {
            throw CaptureFailure(code: error)
        }
    }

    /// How long ago the frame to be read next was captured, in nanoseconds; 0 if the server cannot tell.
    func latency() -> UInt64 {
        var error: Int32 = 0
        let latency = pa_simple_get_latency(handle, &error)
        // A faulty server may state any latency.
        return error == 0 ? min(latency, Self.longestLatency) * 1000 : 0
    }
}

/// Sets stream properties for the simple API, which takes them only from the environment: libpulse reads
/// `PULSE_PROP_<name>` whenever it creates a stream.
///
/// `setenv` and `getenv` must not run at the same time. This library creates its streams one at a time, under a lock,
/// so that none sees another's properties. A `getenv` elsewhere in the process cannot be locked out. glibc never frees a
/// string of the environment, but each further variable of the first opening may move its table, which such a call may
/// be reading. Later openings use the place of the earlier variables: at worst, such a call does not find its variable
/// during the few milliseconds of an opening.
enum PulseEnvironment {
    private static let lock = Mutex(())

    /// Creates a stream with the given properties; what the user has set in the environment overrides them.
    static func with(_ properties: [String: String], makeStream: () -> OpaquePointer?) -> OpaquePointer? {
        var stream: OpaquePointer?
        lock.withLock { _ in
            let variables = properties.map { (name: "PULSE_PROP_\($0.key)", value: $0.value) }
                .filter { getenv($0.name) == nil }
            for variable in variables { setenv(variable.name, variable.value, 1) }
            defer { for variable in variables { unsetenv(variable.name) } }
            stream = makeStream()
        }
        return stream
    }
}
