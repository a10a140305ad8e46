import FoundationEssentials

/// What became of a recording: the result of finishing it.
public struct RecordingReport: Sendable, Hashable {
    /// Why the recording ended.
    public enum Ending: Sendable, Hashable {
        /// It was finished by its user.
        case finished
        /// The time limit was reached.
        case limitReached
        /// It was discarded, and its files removed.
        case discarded
        /// It broke off. What had been recorded is kept, except where that was nothing.
        case failed(ACCAudioRecorderError)
    }

    /// Why the recording ended.
    public let ending: Ending
    /// The source it was taken from.
    public let source: AudioSource
    /// Frames a second of the recording, in Hz.
    public let sampleRate: Int
    /// Samples in a frame of the recording.
    public let channelCount: Int
    /// Frames recorded, at the recording's rate, pauses excluded.
    public let frameCount: Int
    /// Frames of the source that are missing, at its rate: those that this program could not take in time, and by
    /// the clock those that were dropped elsewhere, and those of interruptions and of the machine's sleep.
    public let framesLost: Int
    /// Where they are missing, and why.
    public let gaps: [RecordingGap]
    /// The level of each channel over the whole recording.
    public let levels: [ChannelLevel]
    /// What each output holds.
    public let outputs: [OutputReport]

    /// The length in seconds, pauses excluded.
    public var duration: TimeInterval { Double(frameCount) / Double(sampleRate) }

    /// What went wrong, in the order of its happening: the failures of outputs, then that of the recording.
    public var failures: [ACCAudioRecorderError] {
        let failures = outputs.compactMap(\.failure)
        guard case .failed(let error) = ending, !failures.contains(error) else { return failures }
        return failures + [error]
    }

    /// Samples of all channels that reached full scale.
    public var clippedCount: Int { levels.reduce(0) { $0 + $1.clippedCount } }
}
