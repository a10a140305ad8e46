import Glibc
import SystemPackage

/// An audio file that a crash, a full disk or a power cut may have left behind, and what mends it: a header that tells
/// other sizes than the file has, or none, and an end that is cut off.
///
/// Files of WAV, RF64, W64, AIFF, CAF, FLAC and Ogg are looked at, whatever their names. Samples are never changed, and of
/// those that are there only a last frame that is not whole is left out. Its methods block; they may be called on any
/// thread.
public struct AudioFileRepair: Sendable {
    /// Where the file is.
    public let path: String
    private let examination: AudioFileExamination
    private let state: FileState

    /// Looks at a file, and changes nothing.
    ///
    /// - Throws: `repairFailed` for what is no file or cannot be read, for one of no known format, and for one that cannot
    ///   be mended.
    public init(path: String) throws(ACCAudioRecorderError) {
        self.path = path
        (state, examination) = try Self.withFile(path, .readOnly) { file throws(ACCAudioRecorderError) in
            let reader = try AudioFileReader(file, name: "'\(path)'")
            return (FileState(of: file), try AudioFileExamination(of: reader))
        }
    }

    /// The name of its format, for people.
    public var format: String { examination.format }
    /// What is the matter; empty for a file that is whole.
    public var faults: [AudioFileFault] { examination.faults }
    /// Whether nothing is to be done.
    public var isWhole: Bool { faults.isEmpty }
    /// How many whole frames the file has; nil where they are not counted.
    public var frameCount: Int? { examination.frameCount }
    /// Frames a second, in Hz; nil where that is not looked at.
    public var sampleRate: Int? { examination.sampleRate }

    /// The path for the mended file that is taken where none is named: `take-repaired.wav` for `take.wav`, and for what a
    /// take left behind that was to replace that file.
    public var suggestedPath: String {
        let stem = PathStem(NewFile.path(ofPart: path) ?? path)
        return stem.stem + "-repaired" + stem.pathExtension
    }

    /// Writes the mended file to a new one, which is there only when it is whole.
    ///
    /// - Parameters:
    ///   - newPath: Where it is to be.
    ///   - replacesExisting: Whether a file that exists is replaced. Otherwise it is refused.
    /// - Throws: `outputFailed` where that cannot be created or written; `repairFailed` where the file has changed meanwhile.
    public func write(to newPath: String, replacesExisting: Bool = false) throws(ACCAudioRecorderError) {
        try NewFile.check(path: newPath, replacesExisting: replacesExisting)
        try Self.withFile(path, .readOnly) { file throws(ACCAudioRecorderError) in
            try checkUnchanged(file)
            let new = try NewFile(path: newPath, replacesExisting: replacesExisting, isSynced: true)
            do throws(Errno) {
                try examination.mending.write(from: file, to: new.descriptor)
            } catch {
                new.remove()
                throw .cannotGoOn(with: "'\(newPath)'", error)
            }
            _ = try new.keep()
        }
    }

    /// Mends the file itself.
    ///
    /// - Throws: `repairFailed` where it cannot be written, has changed meanwhile, or needs a file of its own, since something
    ///   comes in between.
    public func mendInPlace() throws(ACCAudioRecorderError) {
        let what = "cannot mend '\(path)' in place"
        guard examination.mending.insertion == nil else {
            throw .repairFailed(
                .init(
                    .damaged, what, cause: "its header has no room for sizes above 4 GiB",
                    remedy: "Have a new file written, which needs as much room again."))
        }
        try Self.withFile(path, .readWrite) { file throws(ACCAudioRecorderError) in
            try checkUnchanged(file)
            do throws(Errno) {
                try examination.mending.apply(to: file)
            } catch {
                throw .repairFailed(
                    .init(
                        .cannotWrite, what, cause: "\(error)",
                        remedy: "See that you may write it, and its disk as well."))
            }
        }
    }

    /// Mends a file that is open for reading and writing, and nobody else's.
    ///
    /// - Parameter name: What it is called in messages.
    /// - Returns: How many whole frames it has; nil where they are not counted.
    static func mend(_ file: FileDescriptor, name: String) throws(ACCAudioRecorderError) -> Int? {
        let examination = try AudioFileExamination(of: AudioFileReader(file, name: name))
        do throws(Errno) {
            try examination.mending.apply(to: file)
        } catch {
            throw .cannotGoOn(with: name, error)
        }
        return examination.frameCount
    }

    private func checkUnchanged(_ file: FileDescriptor) throws(ACCAudioRecorderError) {
        guard FileState(of: file) == state else {
            throw .repairFailed(
                .init(
                    .damaged, "cannot mend '\(path)'", cause: "somebody is writing it",
                    remedy: "Wait until that take is over; it may be whole then."))
        }
    }

    private static func withFile<Value>(
        _ path: String, _ mode: FileDescriptor.AccessMode,
        _ body: (FileDescriptor) throws(ACCAudioRecorderError) -> Value
    ) throws(ACCAudioRecorderError) -> Value {
        let file: FileDescriptor
        do {
            // A pipe without a writer is not waited for.
            file = try FileDescriptor.open(FilePath(path), mode, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw .repairFailed(
                .init(
                    .cannotRead, "cannot open '\(path)'", cause: "\(error)", remedy: "See that it is there, and yours.")
            )
        }
        defer { try? file.close() }
        var status = stat()
        guard fstat(file.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .repairFailed(
                .init(.cannotRead, "cannot mend '\(path)'", cause: "it is no file", remedy: "Name an audio file."))
        }
        return try body(file)
    }
}

/// By what it is known that a file has not changed.
private struct FileState: Hashable, Sendable {
    private let numbers: [Int]

    init(of file: FileDescriptor) {
        var status = stat()
        fstat(file.rawValue, &status)
        numbers = [
            Int(bitPattern: UInt(status.st_dev)), Int(bitPattern: UInt(status.st_ino)), Int(status.st_size),
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        ]
    }
}
