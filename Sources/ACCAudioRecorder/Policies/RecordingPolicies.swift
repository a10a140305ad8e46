import FoundationEssentials

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
    /// The recording program.
    var program = RecordingProgram()

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
}

/// A recording program: what files say of it, and its own files.
///
/// In JSON a program is an object with `name`, `version` and `reserved_paths`; what is missing has its default.
public struct RecordingProgram: Sendable, Hashable {
    /// Its name, which is written to files; by default the name of the process.
    public var name: String
    /// Its version, which is written to files; nil, the default, if unknown.
    public var version: String?
    /// Files that no output may overwrite, even after a cut: those that the program itself reads and writes while it records,
    /// whether they exist yet or not.
    public var reservedPaths: [String] = []

    /// Creates a program.
    public init(name: String = ProcessInfo.processInfo.processName, version: String? = nil) {
        (self.name, self.version) = (name, version)
    }

    /// `accrec 1.0`
    var nameAndVersion: String { [name, version].compactMap(\.self).joined(separator: " ") }
}

extension RecordingProgram: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, version
        case reservedPaths = "reserved_paths"
    }

    /// Decodes what is there.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        try container.decode(.name, into: &name)
        try container.decode(.version, into: &version)
        try container.decode(.reservedPaths, into: &reservedPaths)
    }
}
