import FoundationEssentials

/// What one output of a recording holds at its end.
public struct OutputReport: Sendable, Hashable {
    /// The output as it was asked for, with what was left to the source filled in.
    public let output: RecordingOutput
    /// Frames a second, in Hz.
    public let sampleRate: Int
    /// What each sample of a frame is of.
    public let channelMap: ChannelMap
    /// Where the file begins in the output: 0, or after a cut the number of its first frame.
    public let firstFrame: Int
    /// Whole frames written.
    public let frameCount: Int
    /// Where frames are missing in this output alone, because it could not be written in time; empty as a rule.
    public let gaps: [RecordingGap]
    /// The size of the file, or of what went down the pipe, in bytes.
    public let byteCount: Int
    /// What changed samples on their way from the source; empty where the output is bit-exact.
    public let alterations: [Alteration]
    /// Why the output ended before the recording did, if it did.
    public let failure: ACCAudioRecorderError?

    /// Where the file is; nil for a descriptor.
    public var path: String? {
        if case .file(let path) = output.destination { path } else { nil }
    }

    /// Samples in a frame.
    public var channelCount: Int { channelMap.channelCount }

    /// The length in seconds.
    public var duration: TimeInterval { Double(frameCount) / Double(sampleRate) }
}
