import FoundationEssentials

/// A place in a recording where frames of the source are missing.
public struct RecordingGap: Sendable, Hashable {
    /// Why they are missing.
    public enum Cause: Sendable, Hashable {
        /// This program could not keep up.
        case overrun
        /// The server or the kernel dropped them, as the clock shows.
        case dropped
        /// An output could not be written for so long that there was no more room for what waited.
        case outputBehind
        /// The machine slept.
        case sleep
        /// The recording was interrupted.
        case interruption(RecordingInterruption)
    }

    /// The frame of the recording before which they are missing.
    public let position: Int
    /// How many frames of the source are missing, at the source's rate; where nobody could count them, by the clock.
    public let framesLost: Int
    /// How long that is, in seconds.
    public let duration: TimeInterval
    /// Why they are missing.
    public let cause: Cause
    /// Whether silence stands in their place.
    public let isFilled: Bool

    /// - Parameter sampleRate: The source's.
    init(position: Int, framesLost: Int, sampleRate: Int, cause: Cause = .overrun, isFilled: Bool = false) {
        self.position = position
        self.framesLost = framesLost
        duration = Double(framesLost) / Double(sampleRate)
        self.cause = cause
        self.isFilled = isFilled
    }
}

extension RecordingGap.Cause: CustomStringConvertible {
    /// For people, after "because".
    public var description: String {
        switch self {
        case .overrun: "this program could not keep up"
        case .dropped: "the server dropped them"
        case .outputBehind: "the output could not be written in time"
        case .sleep: "the machine slept"
        case .interruption(let interruption): interruption.description
        }
    }
}
