import FoundationEssentials

/// What one output of a recording holds at its end.
public struct OutputReport: Sendable, Hashable {
    /// The output as it was asked for, with what was left to the source filled in.
    public let output: RecordingOutput
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// Samples in a frame.
    public let channelCount: Int
    /// Whole frames written.
    public let frameCount: Int
    /// The size of the file, or of what went down the pipe, in bytes.
    public let byteCount: Int
    /// Why the output ended before the recording did, if it did.
    public let failure: ACCAudioRecorderError?

    /// The length in seconds.
    public var duration: TimeInterval { Double(frameCount) / Double(sampleRate) }
}
