import FoundationEssentials

/// A buffer of consecutive frames, at the recording's sample rate and channel count.
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
    /// The clock is steady to a millisecond. Three seconds after the beginning, two recordings of one source agree to 2 ms;
    /// the first buffers of one may be off by 15 ms, and by up to 75 ms if PulseAudio has just begun to deliver a monitor.
    /// How true it is for a device depends on what its driver states.
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
        self.data = data
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
