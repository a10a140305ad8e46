import Glibc
import SystemPackage

/// Examines and repairs an audio file damaged by a crash, a full disk or a power cut: a header with missing or wrong
/// sizes, or a truncated end.
///
/// Supports WAV, RF64, W64, AIFF, CAF, FLAC and Ogg, whatever the file's name. Samples are never changed; only an
/// incomplete last frame is removed. The methods block and may be called on any thread.
public struct AudioFileRepair: Sendable {
    /// The path of the file.
    public let path: String
    private let examination: AudioFileExamination
    private let version: FileVersion?

    /// Examines a file without changing it.
    ///
    /// - Throws: `repairFailed` for something that is not a file or cannot be read, for a file of unknown format, and
    ///   for one that cannot be repaired.
    public init(path: String) throws(ACCAudioRecorderError) {
        self.path = path
        (version, examination) = try Self.withFile(path, .readOnly) { file throws(ACCAudioRecorderError) in
            let reader = try AudioFileReader(file, name: "'\(path)'")
            return (FileVersion(file), try AudioFileExamination(of: reader))
        }
    }

    /// The human-readable name of the format, after the repair: a WAV file above 4 GiB becomes RF64.
    public var format: String { examination.format }
    /// The faults found; empty for an intact file.
    public var faults: [AudioFileFault] { examination.faults }
    /// Whether the file is intact.
    public var isWhole: Bool { faults.isEmpty }
    /// The number of whole frames in the file; nil if not counted.
    public var frameCount: Int? { examination.frameCount }
    /// The sample rate in Hz; nil if not examined.
    public var sampleRate: Double? { examination.sampleRate.map(Double.init) }

    /// The default path of the repaired file: `take-repaired.wav` for `take.wav`, and for the hidden partial file of a
    /// killed recording that was to replace that file.
    public var suggestedPath: String {
        let stem = PathStem(AtomicFile.path(ofPart: path) ?? path)
        return stem.stem + "-repaired" + stem.pathExtension
    }

    /// Writes the repaired file to a new path, where it appears only when it is complete.
    ///
    /// - Parameters:
    ///   - newPath: The path of the new file.
    ///   - replacesExisting: Whether to replace an existing file. Otherwise that is an error.
    /// - Throws: `outputFailed` if the new file cannot be created or written; `repairFailed` if the original has
    ///   changed since it was examined.
    public func write(to newPath: String, replacesExisting: Bool = false) throws(ACCAudioRecorderError) {
        guard try OutputPlace(path: newPath, replacesExisting: replacesExisting) == .file else {
            throw .outputFailed(
                .init(
                    .cannotCreate, "cannot create '\(newPath)'", cause: "it is a pipe or a device",
                    remedy: "Name a file."))
        }
        guard Set(FileKey.keys(ofPath: path)).isDisjoint(with: FileKey.keys(ofPath: newPath)) else {
            throw .outputFailed(
                .init(
                    .fileExists, "cannot create '\(newPath)'", cause: "it is the file to be repaired",
                    remedy: "Use another name, or repair the file in place.", recoveryOption: .repairInPlace))
        }
        try Self.withFile(path, .readOnly) { file throws(ACCAudioRecorderError) in
            try checkUnchanged(file)
            let new = try AtomicFile(
                path: newPath, replacesExisting: replacesExisting, isHidden: true, isSynced: true)
            do throws(Errno) {
                try examination.plan.write(from: file, to: new.descriptor)
            } catch {
                new.remove()
                throw .cannotGoOn(with: "'\(newPath)'", error)
            }
            try new.keepAtPath()
        }
    }

    /// Repairs the file in place.
    ///
    /// - Throws: `repairFailed` if it cannot be written, has changed since it was examined, or needs an insertion,
    ///   which requires a new file.
    public func repairInPlace() throws(ACCAudioRecorderError) {
        let what = "cannot repair '\(path)' in place"
        guard examination.plan.insertion == nil else {
            throw .repairFailed(
                .init(
                    .damaged, what, cause: "its header has no room for what it lacks",
                    remedy: "Write a new file, which needs as much space again."))
        }
        try Self.withFile(path, .readWrite) { file throws(ACCAudioRecorderError) in
            try checkUnchanged(file)
            do throws(Errno) {
                try examination.plan.apply(to: file)
            } catch {
                throw .repairFailed(
                    .init(
                        .cannotWrite, what, cause: "\(error)",
                        remedy: "Check that the file and its disk are writable."))
            }
        }
    }

    /// Repairs a file that is open for reading and writing and used by nobody else.
    ///
    /// - Parameter name: The file's name in messages.
    /// - Returns: The number of whole frames; nil if not counted.
    static func repair(_ file: FileDescriptor, name: String) throws(ACCAudioRecorderError) -> Int? {
        let examination = try AudioFileExamination(of: AudioFileReader(file, name: name))
        do throws(Errno) {
            try examination.plan.apply(to: file)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
        return examination.frameCount
    }

    private func checkUnchanged(_ file: FileDescriptor) throws(ACCAudioRecorderError) {
        // A paused recording does not change its file.
        guard FileVersion(file) == version, FileLock.state(of: file) != .held else {
            throw .repairFailed(
                .init(
                    .damaged, "cannot repair '\(path)'", cause: "a program is writing it",
                    remedy: "Wait until that recording ends; it may be complete then."))
        }
    }

    private static func withFile<Value>(
        _ path: String, _ mode: FileDescriptor.AccessMode,
        _ body: (FileDescriptor) throws(ACCAudioRecorderError) -> Value
    ) throws(ACCAudioRecorderError) -> Value {
        let file: FileDescriptor?
        do {
            file = try FileDescriptor.openFile(path, mode)
        } catch {
            throw .repairFailed(
                .init(
                    .cannotRead, "cannot open '\(path)'", cause: "\(error)",
                    remedy: "Check that it exists and that you may read it.")
            )
        }
        guard let file else {
            throw .repairFailed(
                .init(.cannotRead, "cannot repair '\(path)'", cause: "it is not a file", remedy: "Name an audio file."))
        }
        defer { try? file.close() }
        return try body(file)
    }
}
