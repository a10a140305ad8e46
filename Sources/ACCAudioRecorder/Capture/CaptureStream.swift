import CPulse

/// The owner of one record stream of the simple API. Used by the capture thread alone.
struct CaptureStream: ~Copyable {
    private let handle: OpaquePointer

    /// Opens the source with exactly the given sample spec and channel map. Takes 2–3 ms.
    ///
    /// - Parameters:
    ///   - properties: What the server is told of the stream.
    ///   - fragmentBytes: How much the server collects before it delivers, in bytes.
    init(
        source: AudioSource, serverName: String?, streamName: String, properties: [String: String],
        fragmentBytes: Int
    ) throws(PulseFailure) {
        guard var map = source.channelMap.pulse else { throw PulseFailure(PA_ERR_INVALID) }
        var spec = source.sampleSpec.pulse
        var attributes = pa_buffer_attr(
            maxlength: .max, tlength: .max, prebuf: .max, minreq: .max, fragsize: UInt32(fragmentBytes))
        var error: Int32 = 0
        let handle = PulseEnvironment.with(properties) {
            pa_simple_new(
                serverName, "accrec", PA_STREAM_RECORD, source.name, streamName, &spec, &map, &attributes, &error)
        }
        guard let handle else { throw PulseFailure(code: error) }
        self.handle = handle
    }

    deinit {
        pa_simple_free(handle)
    }

    /// Fills `buffer`, whole frames, blocking for as long as the source takes.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PulseFailure) {
        var error: Int32 = 0
        guard pa_simple_read(handle, buffer.baseAddress, buffer.count, &error) >= 0 else {
            throw PulseFailure(code: error)
        }
    }

    /// How long ago the frame that would be read next was captured, in nanoseconds; 0 where the server
    /// cannot tell.
    func latency() -> UInt64 {
        var error: Int32 = 0
        let latency = pa_simple_get_latency(handle, &error)
        return error == 0 ? latency * 1000 : 0
    }
}
