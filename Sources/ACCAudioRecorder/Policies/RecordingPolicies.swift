/// What a recording is asked for. A configuration has it, and the engine and the outputs get it whole.
struct RecordingPolicies: Sendable, Hashable {
    /// Its session mode, with what that decides where it is not given.
    var session = ModeSettings()
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

    /// A program's name and version.
    struct Program: Sendable, Hashable {
        var name: String
        /// Nil if unknown.
        var version: String?

        /// `accrec 1.0`
        var nameAndVersion: String { [name, version].compactMap(\.self).joined(separator: " ") }
    }
}
