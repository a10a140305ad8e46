import FoundationEssentials

/// A place in a recording where frames of the source are missing.
///
/// WAV files have a marker there, `gap 1.412 s: device unplugged`, and all files that can be written at any place have it
/// in the list of markers beside them.
public struct RecordingGap: Sendable, Hashable {
    /// Why frames are missing.
    public enum Cause: Sendable, Hashable {
        /// This program could not keep up.
        case overrun
        /// The server or the kernel dropped them; this was inferred from the clock.
        case dropped
        /// An output was written too slowly and its queue was full.
        case outputBehind
        /// The machine was asleep.
        case sleep
        /// The recording was interrupted.
        case interruption(RecordingInterruption)
    }

    /// The frame of the recording before which frames are missing.
    public let position: Int
    /// Where that is in the recording, in seconds.
    public let time: TimeInterval
    /// The number of missing frames, at the source's rate; computed from the clock where nothing counted them.
    public let framesLost: Int
    /// The length of the gap in seconds.
    public let duration: TimeInterval
    /// Why they are missing.
    public let cause: Cause
    /// Whether the gap is filled with silence.
    public let isFilled: Bool

    /// Creates a gap, for tests of code that receives events and reports.
    ///
    /// - Parameters:
    ///   - position: The frame of the recording before which frames are missing.
    ///   - time: Where that is in the recording, in seconds.
    ///   - framesLost: The number of missing frames, at the source's rate.
    ///   - duration: The length of the gap in seconds.
    ///   - cause: Why they are missing.
    ///   - isFilled: Whether the gap is filled with silence.
    public init(
        position: Int, time: TimeInterval, framesLost: Int, duration: TimeInterval, cause: Cause, isFilled: Bool = false
    ) {
        self.position = position
        self.time = time
        self.framesLost = framesLost
        self.duration = duration
        self.cause = cause
        self.isFilled = isFilled
    }

    /// - Parameters:
    ///   - sampleRate: The source's rate in Hz.
    ///   - recordedRate: The recording's rate in Hz; nil for the source's.
    init(
        position: Int, framesLost: Int, sampleRate: Int, recordedRate: Int? = nil, cause: Cause = .overrun,
        isFilled: Bool = false
    ) {
        self.position = position
        time = Double(position) / Double(recordedRate ?? sampleRate)
        self.framesLost = framesLost
        duration = Double(framesLost) / Double(sampleRate)
        self.cause = cause
        self.isFilled = isFilled
    }
}

extension RecordingGap {
    /// The text of the marker that a file has at the gap.
    var label: String { GapLabel(seconds: duration, isFilled: isFilled, cause: "\(cause)").text }
}

extension RecordingGap.Cause: CustomStringConvertible {
    /// Human-readable.
    public var description: String {
        switch self {
        case .overrun: "the program could not keep up"
        case .dropped: "the server dropped audio"
        case .outputBehind: "the output was too slow"
        case .sleep: "the machine slept"
        case .interruption(let interruption): interruption.description
        }
    }
}
