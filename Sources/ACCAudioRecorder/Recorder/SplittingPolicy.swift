import FoundationEssentials

/// When a recording goes on in new files by itself. All its outputs are cut at the same instant, and no frame is lost or
/// doubled.
public struct SplittingPolicy: Sendable, Hashable {
    /// The shortest interval that can be asked for, in seconds.
    public static let shortestInterval: TimeInterval = 1
    /// The smallest file size that can be asked for, in bytes.
    public static let smallestFile = 64 << 10

    /// How long each file is, in seconds: file `n` ends at exactly `round(n × interval × rate)` frames of the recording.
    /// Nil for as long as the recording, which is the default.
    public var interval: TimeInterval?
    /// Whether files begin at the multiples of the interval since midnight instead, by the clock on the wall; false by
    /// default.
    public var isByClock: Bool
    /// The size in bytes that no file exceeds, unless a single fragment does; nil for any size, which is the default. What
    /// is written at the end of a file, such as markers, comes on top of it.
    public var fileSize: Int?
    /// How many files each output has at most, the one that is being written among them: older ones are removed. Nil for
    /// all, which is the default.
    public var filesKept: Int?

    /// A policy.
    public init(
        interval: TimeInterval? = nil, isByClock: Bool = false, fileSize: Int? = nil, filesKept: Int? = nil
    ) {
        self.interval = interval
        self.isByClock = isByClock
        self.fileSize = fileSize
        self.filesKept = filesKept
    }

    func validate() throws(ACCAudioRecorderError) {
        if let interval, !(interval >= Self.shortestInterval) {
            throw Self.refusal("in files of \(interval) s", remedy: "Choose a length from 1 s on.")
        }
        if isByClock, interval == nil {
            throw Self.refusal(
                "in files by the clock", cause: "it was not said how long they are", remedy: "Give their length.")
        }
        if let fileSize, fileSize < Self.smallestFile {
            throw Self.refusal("in files of \(fileSize) bytes", remedy: "Choose a size from 64 KiB on.")
        }
        if let filesKept, filesKept < 1 {
            throw Self.refusal("and keep \(filesKept) files", remedy: "Keep 1 or more.")
        }
    }

    private static func refusal(
        _ what: String, cause: String = "it is out of range", remedy: String
    ) -> ACCAudioRecorderError {
        .outputFailed(.init(.invalidFormat, "cannot record \(what)", cause: cause, remedy: remedy))
    }
}
