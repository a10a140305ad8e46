import FoundationEssentials

/// A run of frames at the recording's rate and channel count.
public struct AudioBufferData: Sendable {
    /// Interleaved 32-bit floating-point samples in the host's byte order, full scale at ±1.
    public let data: Data
    /// Frames in the buffer.
    public let frameLength: UInt32
    /// Frames a second, in Hz.
    public let sampleRate: Double
    /// Samples in a frame.
    public let channelCount: UInt32
    /// The time of the first frame in the recording, in seconds: its number divided by the rate, pauses excluded.
    public let timestamp: TimeInterval
    /// When the first frame was captured, in CLOCK_MONOTONIC nanoseconds.
    public let hostTime: UInt64
    /// Frames just before this buffer that this subscriber did not get, because it had not read the ones
    /// before them for half a minute; 0 where nothing is missing. A hole that lasts until the end of the
    /// recording is followed by no buffer: compare with the report's `frameCount`.
    public internal(set) var missedFrameLength = 0

    /// The samples, `frameLength × channelCount` of them, interleaved. Never nil here; the optional is the
    /// API's, for platforms that can fail.
    public func toFloatArray() -> [Float]? {
        data.withUnsafeBytes { bytes in
            [Float](unsafeUninitializedCapacity: bytes.count / 4) { floats, count in
                UnsafeMutableRawBufferPointer(floats).copyMemory(from: bytes)
                count = bytes.count / 4
            }
        }
    }
}
