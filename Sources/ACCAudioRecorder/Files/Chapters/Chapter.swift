import Glibc
import SystemPackage

/// A marker in a form that players show: a chapter begins there, and ends where the next one begins.
struct Chapter: Sendable, Hashable {
    /// The start in milliseconds.
    let start: Int
    /// On one line.
    let title: String

    /// The chapters of markers, in the order of time.
    ///
    /// - Parameter markers: Each with its frame in the file.
    static func all(_ markers: [(frame: Int, label: String)], sampleRate: Int) -> [Chapter] {
        markers.sorted { $0.frame < $1.frame }.map { marker in
            Chapter(start: marker.frame * 1_000 / sampleRate, title: MarkerSidecar.line(marker.label))
        }
    }
}

extension Chapter {
    /// The part of a file that holds its tags and chapters, and is replaced to add chapters. The file may be anybody's.
    protocol Holder {
        /// The offsets in bytes of the part.
        var range: Range<Int> { get }

        /// The chapters, in the order of the file.
        var chapters: [Chapter] { get }

        /// The part with these chapters instead of none; nil if it cannot hold them.
        ///
        /// - Parameter end: The end of the last chapter in milliseconds.
        func bytes(with chapters: [Chapter], until end: Int) -> [UInt8]?
    }
}

extension AudioFileReader {
    /// The part of the file that holds chapters or could hold them; nil if there is none.
    var chapterHolder: (any Chapter.Holder)? {
        get throws(ACCAudioRecorderError) {
            let start = try bytes(at: 0, count: 4)
            if start.elementsEqual("fLaC".utf8) { return try FLACComments(self) }
            if start.elementsEqual("OggS".utf8) { return try OggComments(self) }
            return try ID3Tag(self)
        }
    }
}

/// Chapters are known only at the end of a recording, but stand before the audio. So a complete file is written once more
/// with them, and takes the place of the first one when it is on the disk.
extension AtomicFile {
    /// Adds chapters to the complete file. If that fails, the file is as it was.
    ///
    /// - Parameters:
    ///   - end: The end of the last chapter in milliseconds.
    ///   - isLate: Asked now and then. If it returns true, the chapters are given up.
    /// - Returns: Whether the file has them; false also without a chapter.
    mutating func add(_ chapters: [Chapter], until end: Int, unless isLate: () -> Bool) -> Bool {
        guard !chapters.isEmpty, let reader = try? AudioFileReader(descriptor, name: path),
            let holder = try? reader.chapterHolder, let bytes = holder.bytes(with: chapters, until: end)
        else { return false }
        return (try? replace(holder.range, with: bytes, unless: isLate)) != nil
    }

    /// Replaces a part of the file.
    private mutating func replace(
        _ range: Range<Int>, with bytes: [UInt8], unless isLate: () -> Bool
    ) throws(Errno) {
        var status = stat()
        // A file with further names keeps its audio under all of them.
        guard fstat(descriptor.rawValue, &status) == 0, status.st_nlink == 1 else { throw .tooManyLinks }
        let byteCount = Int(status.st_size)
        guard range.upperBound <= byteCount else { throw .invalidArgument }
        // Twice the size, so that other outputs on this disk have as much room again.
        guard let room = DiskRoom(descriptor: descriptor), room.usableByteCount / 2 > byteCount + bytes.count else {
            throw .noSpace
        }
        let (new, newIdentity, newName) = try Self.createPart(of: name, in: directory)
        do throws(Errno) {
            FileLock.hold(new)
            Self.copyOwner(status, to: new)
            try descriptor.copy(0..<range.lowerBound, to: new, at: 0)
            let failure = bytes.withUnsafeBytes { new.writeMost(of: $0, at: Int64(range.lowerBound)).failure }
            if let failure { throw failure }
            // Each part is synced, so that giving up waits for one part at most.
            try descriptor.copy(
                range.upperBound..<byteCount, to: new, at: range.lowerBound + bytes.count, part: 16 << 20
            ) { () throws(Errno) in
                guard !isLate() else { throw .canceled }
                if let failure = new.sync() { throw failure }
            }
            // Another program may have changed or renamed the file meanwhile.
            let version = FileVersion(status)
            guard directory.status(of: writingName).map(FileVersion.init) == version,
                FileVersion(descriptor) == version
            else { throw .fileExists }
            let number = directory.descriptor.rawValue
            guard renameat(number, newName, number, writingName) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            unlinkat(directory.descriptor.rawValue, newName, 0)
            try? new.close()
            throw error
        }
        // Everything in it is in the new one.
        try? descriptor.close()
        (descriptor, identity) = (new, newIdentity)
    }
}
