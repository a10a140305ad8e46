/// What a recording is asked for. A configuration has it, and the engine and the outputs get it whole.
struct RecordingPolicies: Sendable, Hashable {
    /// What its session mode decides.
    var session = Session()
    /// What it does when it is interrupted.
    var interruptions = InterruptionPolicy()
    /// When it continues in new files by itself.
    var splitting = SplittingPolicy()
    /// Which complete files are kept.
    var retention = RetentionPolicy()
    /// How it follows the sound of its source; nil if it does not.
    var soundActivation: SoundActivation?
    /// Paths of files that no output may overwrite, whether they exist yet or not.
    var reservedPaths: [String] = []
    /// The recording program, for metadata.
    var program: Program

    /// What the session mode of a recording decides where it is not given.
    struct Session: Sendable, Hashable {
        /// The mode's name, for file names.
        var modeName = ""
        /// Whether files store their start time, unless an output says otherwise.
        var storesStartTime = false
        /// The quality of sample rate conversion.
        var quality = ResamplerQuality.medium
        /// The length of subscribers' buffers, in frames of the recording.
        var bufferFrames = 4_096
    }

    /// A program's name and version.
    struct Program: Sendable, Hashable {
        var name: String
        /// Nil if unknown.
        var version: String?

        /// `accrec 1.0`
        var nameAndVersion: String { [name, version].compactMap(\.self).joined(separator: " ") }
    }
}
