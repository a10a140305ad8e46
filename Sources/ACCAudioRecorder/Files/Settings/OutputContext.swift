/// What the outputs of a recording need to know about it, besides its frames.
struct OutputContext {
    /// The source's name, for file names.
    var sourceName: String
    /// The source's human-readable name, for metadata.
    var sourceDescription: String
    /// The source's sample spec.
    var sourceSpec: SampleSpec
    /// The session mode's name, for file names.
    var modeName: String
    /// Whether files store their start time, unless an output says otherwise.
    var storesStartTime = false
    /// The quality of sample rate conversion.
    var resamplerQuality = ResamplerQuality.medium
    /// Whether the user chose the order of the channels, which files must keep then.
    var keepsChannelOrder = false
    /// Whether frames that an output lacks are replaced by silence.
    var fillsGaps = false
    /// When outputs continue in new files.
    var splitting = SplittingPolicy()
    /// Which complete files are kept.
    var retention = RetentionPolicy()
    /// The complete files that a program still needs.
    var heldFiles: HeldFiles?
    /// The numbers that files of earlier takes have had; nil without takes.
    var usedNumbers: FileNumbers?
    /// Paths of files that no output may overwrite, whether they exist yet or not.
    var reservedPaths: [String] = []
    /// The length in seconds of what was captured before the recording was started, and comes all at once.
    var preRollLength = 0.0
    /// When the recording begins, for file names, in CLOCK_MONOTONIC nanoseconds; nil for now.
    var startTime: UInt64?
    /// The recording program, for metadata.
    var program: Program

    /// A program's name and version.
    struct Program {
        let name: String
        /// Nil if unknown.
        let version: String?

        /// `accrec 1.0`
        var nameAndVersion: String { [name, version].compactMap(\.self).joined(separator: " ") }
    }
}
