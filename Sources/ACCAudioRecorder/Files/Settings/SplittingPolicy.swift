import FoundationEssentials
import Synchronization

/// When a recording continues in new files by itself. All outputs are cut at the same instant, and no frame is lost or
/// duplicated.
public struct SplittingPolicy: Sendable, Hashable {
    /// The shortest valid interval in seconds.
    public static let shortestInterval: TimeInterval = 1
    /// The smallest valid file size in bytes.
    public static let smallestFile = 64 << 10

    /// The length of each file in seconds: file `n` ends at exactly `round(n × interval × rate)` frames of the
    /// recording. Nil, the default, for a single file.
    public var interval: TimeInterval?
    /// Whether files begin instead at multiples of the interval since midnight, local time; false by default.
    public var isByClock: Bool
    /// The maximum file size in bytes, exceeded only if a single fragment does; nil, the default, for no limit.
    public var fileSize: Int?
    /// The maximum number of files of each output, including the current one; older ones are removed. Nil, the default,
    /// for no limit.
    public var filesKept: Int?

    /// Creates a policy.
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
            throw Self.refusal("in files of \(interval) s", remedy: "Choose at least 1 s.")
        }
        if isByClock, interval == nil {
            throw Self.refusal(
                "in files aligned to the clock", cause: "their length is missing", remedy: "Set their length.")
        }
        if let fileSize, fileSize < Self.smallestFile {
            throw Self.refusal("in files of \(fileSize) bytes", remedy: "Choose at least 64 KiB.")
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

/// The complete files of a recording that a program still needs, as `accrec --exec` does, and what such programs have made
/// of them. They are not removed to keep to a maximum number of files.
package final class HeldFiles: Sendable {
    private struct State {
        var held: Set<FileVersion> = []
        var successors: [FileVersion: FileVersion] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Holds a file from its completion on.
    func hold(_ file: FileVersion) {
        state.withLock { _ = $0.held.insert(file) }
    }

    /// Lets go of a file.
    ///
    /// - Parameter successor: What is at its path now; nil if nothing is.
    package func release(_ file: FileVersion, as successor: FileVersion?) {
        state.withLock { state in
            state.held.remove(file)
            if successor != file { state.successors[file] = successor }
        }
    }

    func isHeld(_ file: FileVersion) -> Bool { state.withLock { $0.held.contains(file) } }

    /// What a program has made of a file, if it changed it. The file is not asked for again.
    func takeSuccessor(of file: FileVersion) -> FileVersion? {
        state.withLock { $0.successors.removeValue(forKey: file) }
    }
}

extension HeldFiles: Hashable {
    package static func == (one: HeldFiles, other: HeldFiles) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
