import FoundationEssentials

/// A buffer of consecutive frames, at the recording's sample rate and channel count unless others were asked for.
public struct AudioBufferData: Sendable {
    /// Interleaved 32-bit floating-point samples in the host's byte order, full scale at ±1.
    public let data: Data
    /// Frames in the buffer.
    public let frameLength: UInt32
    /// The sample rate in Hz.
    public let sampleRate: Double
    /// Samples per frame.
    public let channelCount: UInt32
    /// The position of the first frame in the recording, in seconds: its frame number divided by the rate, pauses
    /// excluded.
    public let timestamp: TimeInterval
    /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds: when it arrived, less what the server states that
    /// its source keeps it. What a monitor delivers before it is heard has the time at which it is heard.
    ///
    /// The clock is steady to a millisecond. Three seconds after the first frame, two recordings of one source agree to 2 ms;
    /// the first buffers of one may be off by 15 ms, and by up to 120 ms if PulseAudio has just begun to deliver a monitor.
    /// How true it is for a device depends on what its driver states.
    ///
    /// `SuspendingClock.Instant(hostTime:)` and `Date(hostTime:)` convert it: see <doc:Times>.
    public let hostTime: UInt64
    /// Frames missing just before this buffer, for this subscriber only: they were dropped because half a minute of
    /// buffers was already unread. 0 if nothing is missing. Frames dropped at the very end of the recording are
    /// reported by no buffer: compare with the report's `frameCount`.
    public let missedFrameLength: Int

    /// Creates a buffer, for tests of code that receives buffers.
    ///
    /// - Parameters:
    ///   - data: `frameLength × channelCount` interleaved 32-bit floating-point samples in the host's byte order.
    ///   - frameLength: Frames in the buffer.
    ///   - sampleRate: In Hz, above 0.
    ///   - channelCount: Samples per frame, at least 1.
    ///   - timestamp: The position of the first frame in the recording, in seconds.
    ///   - hostTime: When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    ///   - missedFrameLength: Frames missing just before this buffer.
    public init(
        data: Data, frameLength: UInt32, sampleRate: Double, channelCount: UInt32, timestamp: TimeInterval = 0,
        hostTime: UInt64 = 0, missedFrameLength: Int = 0
    ) {
        self.data = Self.aligned(data)
        self.frameLength = frameLength
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.timestamp = timestamp
        self.hostTime = hostTime
        self.missedFrameLength = missedFrameLength
    }

    /// Creates a buffer of whole frames, for tests of code that receives buffers.
    ///
    /// - Parameters:
    ///   - samples: Interleaved; full scale is ±1. An incomplete last frame is ignored.
    ///   - sampleRate: In Hz, above 0.
    ///   - channelCount: Samples per frame, at least 1.
    ///   - timestamp: The position of the first frame in the recording, in seconds.
    ///   - hostTime: When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    public init(
        samples: [Float], sampleRate: Double, channelCount: UInt32, timestamp: TimeInterval = 0, hostTime: UInt64 = 0
    ) {
        let frameLength = channelCount > 0 ? samples.count / Int(channelCount) : 0
        self.init(
            data: samples.prefix(frameLength * Int(channelCount)).withUnsafeBytes { Data($0) },
            frameLength: UInt32(frameLength), sampleRate: sampleRate, channelCount: channelCount,
            timestamp: timestamp, hostTime: hostTime)
    }

    /// This buffer with more frames missing before it.
    func missing(_ frames: Int) -> AudioBufferData {
        AudioBufferData(
            data: data, frameLength: frameLength, sampleRate: sampleRate, channelCount: channelCount,
            timestamp: timestamp, hostTime: hostTime, missedFrameLength: missedFrameLength + frames)
    }
}

extension AudioBufferData {
    /// The samples, interleaved: `frameLength × channelCount` of them, full scale at ±1. Copies nothing.
    public var samples: Span<Float> {
        // The compiler cannot infer that the span ends before the buffer does, because `Data` has no span of floats.
        @_lifetime(borrow self)
        get {
            // The memory belongs to `data`, which never changes, and lies outside of it (`aligned`).
            let elements = data.withUnsafeBytes { $0.assumingMemoryBound(to: Float.self) }
            return _overrideLifetime(Span(_unsafeElements: elements), borrowing: self)
        }
    }

    /// Calls a closure with the samples, interleaved: `frameLength × channelCount` of them, full scale at ±1. Copies nothing.
    ///
    /// - Parameter body: Called once, on the caller's thread. The samples are valid only during the call.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws.
    public func withSamples<Value, Failure: Error>(
        _ body: (UnsafeBufferPointer<Float>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result: Result<Value, Failure> = data.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try body(bytes.assumingMemoryBound(to: Float.self)) }
        }
        return try result.get()
    }

    /// Data in memory of its own where floating-point numbers may lie: a copy of what lies at an odd address, or within the
    /// value itself, as a few bytes do.
    private static func aligned(_ data: Data) -> Data {
        let isOdd = data.withUnsafeBytes { Int(bitPattern: $0.baseAddress) % MemoryLayout<Float>.alignment != 0 }
        guard isOdd || data.count <= MemoryLayout<Data>.size else { return data }
        var copy = Data(capacity: 2 * MemoryLayout<Data>.size + data.count)
        copy.append(data)
        return copy
    }

    /// A copy of the samples, interleaved: `frameLength × channelCount` of them. Never nil here; the optional return
    /// type is for platforms where this can fail.
    ///
    /// Allocates and fills an array; `withSamples(_:)` does not.
    public func toFloatArray() -> [Float]? {
        withSamples { Array($0) }
    }

    /// A copy of one channel's samples: `frameLength` of them. Allocates and fills an array.
    ///
    /// - Parameter channel: The channel's number, counted from 1.
    /// - Returns: The samples; nil if there is no such channel.
    public func toFloatArray(channel: Int) -> [Float]? {
        let channelCount = Int(channelCount)
        guard channel >= 1, channel <= channelCount else { return nil }
        return withSamples { samples in
            stride(from: channel - 1, to: samples.count, by: channelCount).map { samples[$0] }
        }
    }

    /// The samples as signed 16-bit integers, little-endian and interleaved, as speech recognisers take them: two bytes
    /// for each of `frameLength × channelCount` samples.
    ///
    /// Full scale is 32,768 steps. Rounds to the nearest step without dither, clips what is beyond full scale, and turns NaN into
    /// silence. Samples of a 16-bit source that were neither mixed nor resampled come out bit for bit. Allocates and fills the data.
    public func toInt16Data() -> Data {
        withSamples { samples in
            withUnsafeTemporaryAllocation(of: Int32.self, capacity: samples.count) { words in
                Quantizer.quantize(samples, bits: 16, into: words)
                let integers = words.map { Int16(truncatingIfNeeded: $0 >> 16).littleEndian }
                return integers.withUnsafeBytes { Data($0) }
            }
        }
    }
}

extension PushSource {
    /// Writes the samples of a buffer, which must have the rate and the channel count of the source.
    ///
    /// - Throws: As the method of this name that takes samples; `audioFormatCreationFailed` also for a buffer of another format.
    public func write(_ buffer: AudioBufferData) async throws {
        guard buffer.channelCount == channelCount, buffer.sampleRate == sampleRate else {
            throw ACCAudioRecorderError.audioFormatCreationFailed(
                .init(
                    .invalidFormat,
                    "cannot write a buffer of \(buffer.channelCount) channels at \(buffer.sampleRate.plain) Hz",
                    cause: "the source has \(channelCount) at \(sampleRate.plain) Hz",
                    remedy: "Subscribe to buffers of the source's format."))
        }
        try await write(buffer.toFloatArray() ?? [])
    }
}
