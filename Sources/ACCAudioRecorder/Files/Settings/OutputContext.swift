import Synchronization

/// What the outputs of a recording need to know about it, besides its frames.
struct OutputContext {
    /// The source's name, for file names.
    var sourceName: String
    /// The source's human-readable name, for metadata.
    var sourceDescription: String
    /// The source's sample spec.
    var sourceSpec: SampleSpec
    /// What the recording was asked for.
    var policies: RecordingPolicies
    /// Whether the user chose the order of the channels, which files must keep then.
    var keepsChannelOrder = false
    /// The complete files that a program still needs.
    var heldFiles: HeldFiles?
    /// The numbers that files of earlier takes have had; nil without takes.
    var usedNumbers: FileNumbers?
    /// The length in seconds of what was captured before the recording was started, and comes all at once.
    var preRollLength = 0.0
    /// When the recording begins, for file names, in CLOCK_MONOTONIC nanoseconds; nil for now.
    var startTime: UInt64?
}

/// The numbers that files of several recordings have had by their patterns, so that no name comes twice, even if its file was
/// moved away.
final class FileNumbers: Sendable {
    private let last = Mutex<[FilePattern: Int]>([:])

    /// The first number that was not used, from this one on.
    func next(in pattern: FilePattern, from number: Int) -> Int {
        last.withLock { max(number, ($0[pattern] ?? 0) + 1) }
    }

    /// Notes that a file has this number.
    func use(_ number: Int, in pattern: FilePattern) {
        last.withLock { $0[pattern] = number }
    }
}

extension FileNumbers: Hashable {
    static func == (one: FileNumbers, other: FileNumbers) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
