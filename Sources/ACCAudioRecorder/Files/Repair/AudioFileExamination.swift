import SystemPackage

/// The result of examining an audio file: its format and its faults.
struct AudioFileExamination: Sendable, Hashable {
    /// The human-readable name of its format, after the repair.
    var format: String
    /// The sample rate in Hz; nil if not examined.
    var sampleRate: Int?
    /// The number of whole frames; nil if not counted.
    var frameCount: Int?
    /// Empty for an intact file.
    var faults: [AudioFileFault] = []
    var plan: Plan
    /// The number of bytes at the end that are kept but not part of the format, such as a player's tag.
    var trailerByteCount = 0

    /// Adds a fault if the condition is true.
    mutating func addFault(_ fault: AudioFileFault, if isThere: Bool) {
        if isThere, !faults.contains(fault) { faults.append(fault) }
    }

    /// Examines a file without changing it.
    ///
    /// - Throws: `repairFailed` for a file of unknown format, and for one that cannot be repaired.
    init(of file: AudioFileReader) throws(ACCAudioRecorderError) {
        let start = try file.bytes(at: 0, count: 16)
        switch String(decoding: start.prefix(4), as: UTF8.self) {
        case "RIFF", "RF64": self = try WAV(file).result
        case "riff" where start == W64.riff: self = try W64(file).result
        case "FORM": self = try AIFF(file).result
        case "caff": self = try CAF(file).result
        case "fLaC": self = try FLAC(file, from: 0).result
        case "OggS": self = try Ogg(file).result
        case "RIFX": throw file.hopeless("it is WAV with big-endian numbers (RIFX)", remedy: "That is not supported.")
        default:
            if let end = try file.endOfID3(at: 0), try FLAC.begins(at: end, in: file) {
                self = try FLAC(file, from: end).result
                return
            }
            throw file.hopeless(
                "it is not WAV, RF64, W64, AIFF, CAF, FLAC or Ogg",
                remedy: "Raw samples need no repair; other formats are not supported.")
        }
    }

    init(format: String, keeping byteCount: Int) {
        self.format = format
        plan = Plan(keptByteCount: byteCount)
    }
}

/// A fault of an audio file that can be repaired.
@nonexhaustive
public enum AudioFileFault: Sendable, Hashable {
    /// The sizes in the header do not match the file.
    case wrongSizes
    /// The header states no length, or a wrong one.
    case wrongLength
    /// The file ends within a frame, page or chunk, of which this many bytes exist.
    case cutOff(byteCount: Int)
    /// A pad byte that makes the size of a chunk even is missing.
    case noPadding
    /// The last page is not marked as the last one.
    case noEnd
}

extension AudioFileFault: CustomStringConvertible {
    /// Human-readable: `its header has wrong sizes`.
    public var description: String {
        switch self {
        case .wrongSizes: "its header has wrong sizes"
        case .wrongLength: "its header states no length, or a wrong one"
        case .cutOff(let count): "its end is truncated: \(count) byte\(count == 1 ? " is" : "s are") left out"
        case .noPadding: "a padding byte is missing"
        case .noEnd: "its last page is not marked as the last"
        }
    }
}

extension AudioFileExamination {
    /// The changes that repair a file.
    struct Plan: Sendable, Hashable {
        /// Bytes to write at an offset of the file.
        struct Patch: Sendable, Hashable {
            let offset: Int
            let bytes: [UInt8]
        }

        /// The number of bytes to keep of the file.
        var keptByteCount: Int
        /// Bytes to overwrite within what is kept.
        var patches: [Patch] = []
        /// Bytes to insert into what is kept; nil if nothing moves. An insertion requires a new file.
        var insertion: Patch?
        /// Bytes to append.
        var tail: [UInt8] = []

        /// Adds a patch, unless the bytes are already the same.
        ///
        /// - Returns: Whether they differ.
        mutating func patch(_ bytes: [UInt8], over old: [UInt8], at offset: Int) -> Bool {
            guard bytes != old else { return false }
            patches.append(Patch(offset: offset, bytes: bytes))
            return true
        }
    }
}

extension AudioFileExamination.Plan {
    /// Repairs a file in place; there must be no insertion.
    func apply(to file: FileDescriptor) throws(Errno) {
        try write(over: file, end: keptByteCount)
        if let failure = file.sync() { throw failure }
    }

    /// Writes the repaired file to another one, which is empty.
    func write(from file: FileDescriptor, to new: FileDescriptor) throws(Errno) {
        let place = insertion?.offset ?? keptByteCount
        try file.copy(0..<place, to: new, at: 0)
        let insertion = insertion?.bytes ?? []
        try Self.write(insertion, to: new, at: place)
        try file.copy(place..<keptByteCount, to: new, at: place + insertion.count)
        try write(over: new, end: keptByteCount + insertion.count)
    }

    /// - Parameter end: The offset in bytes at which what is kept ends.
    private func write(over file: FileDescriptor, end: Int) throws(Errno) {
        do {
            try file.resize(to: Int64(end))
        } catch {
            throw error as? Errno ?? .ioError
        }
        let shift = insertion?.bytes.count ?? 0
        for patch in patches {
            let isBehind = patch.offset >= insertion?.offset ?? .max
            try Self.write(patch.bytes, to: file, at: patch.offset + (isBehind ? shift : 0))
        }
        try Self.write(tail, to: file, at: end)
    }

    private static func write(_ bytes: [UInt8], to file: FileDescriptor, at offset: Int) throws(Errno) {
        let failure = bytes.withUnsafeBytes { file.writeMost(of: $0, at: Int64(offset)).failure }
        if let failure { throw failure }
    }
}
