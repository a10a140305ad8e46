import SystemPackage

/// Reads an audio file at arbitrary offsets, never beyond its end.
///
/// Small reads are served from a window of the file kept in memory, so that scanning single bytes needs few system
/// calls. Used by one thread.
final class AudioFileReader {
    private let descriptor: FileDescriptor
    private let name: String
    /// The size of the file in bytes.
    let byteCount: Int
    private var windowStart = 0
    private var window: [UInt8] = []

    private static let windowLength = 128 << 10

    /// - Parameters:
    ///   - descriptor: A file open for reading; not closed here.
    ///   - name: The file's name in messages.
    init(_ descriptor: FileDescriptor, name: String) throws(ACCAudioRecorderError) {
        self.descriptor = descriptor
        self.name = name
        do {
            byteCount = Int(try descriptor.seek(offset: 0, from: .end))
        } catch {
            throw .repairFailed(.init(.cannotRead, "cannot read \(name)", cause: "\(error)", remedy: Self.remedy))
        }
    }

    private static let remedy = "Check that it is a readable file on a readable disk."

    /// Reads up to `count` bytes; fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws(ACCAudioRecorderError) -> [UInt8] {
        guard offset >= 0, offset < byteCount else { return [] }
        let wanted = min(count, byteCount - offset)
        guard wanted <= Self.windowLength / 2 else { return try read(at: offset, count: wanted) }
        if offset < windowStart || offset + wanted > windowStart + window.count {
            window = try read(at: offset, count: min(Self.windowLength, byteCount - offset))
            windowStart = offset
        }
        return Array(window.dropFirst(offset - windowStart).prefix(wanted))
    }

    private func read(at offset: Int, count: Int) throws(ACCAudioRecorderError) -> [UInt8] {
        do {
            return try Array(unsafeUninitializedCapacity: count) { buffer, filled in
                while filled < buffer.count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                    let more = try descriptor.read(fromAbsoluteOffset: Int64(offset + filled), into: rest)
                    guard more > 0 else { break }
                    filled += more
                }
            }
        } catch {
            throw .repairFailed(.init(.cannotRead, "cannot read \(name)", cause: "\(error)", remedy: Self.remedy))
        }
    }

    /// Whether the rest of the file is not audio: zeros, as left by a file system after a power cut or by a copy in whole
    /// blocks, or a tag that a player appended (ID3v1, ID3v2, APE, Lyrics3), or both.
    func hasTrailer(at offset: Int) throws(ACCAudioRecorderError) -> Bool {
        guard offset < byteCount else { return false }
        let tag = try endOfZeros(from: offset)
        if tag == byteCount { return true }
        let start = try bytes(at: tag, count: 11)
        if start.starts(with: "APETAGEX".utf8) || start.elementsEqual("LYRICSBEGIN".utf8) { return true }
        if start.starts(with: "TAG".utf8) { return byteCount - tag == 128 }
        return try endOfID3(at: tag) != nil
    }

    /// The offset behind the ID3v2 tag that begins here; nil if none does.
    func endOfID3(at offset: Int) throws(ACCAudioRecorderError) -> Int? {
        let start = try bytes(at: offset, count: 10)
        // Version and size have no byte above 0x7F, which few samples happen to have.
        guard start.count == 10, start.starts(with: "ID3".utf8), (2...4).contains(start[3]),
            start[6...].allSatisfy({ $0 < 0x80 })
        else { return nil }
        let hasFooter = start[5] & 0x10 != 0
        return offset + start[6...].reduce(0) { $0 << 7 | Int($1) } + (hasFooter ? 20 : 10)
    }

    /// The offset of the first byte from here that is not zero; the end of the file if there is none.
    private func endOfZeros(from start: Int) throws(ACCAudioRecorderError) -> Int {
        var offset = start
        // The first pieces are short, because most often there are no zeros at all.
        var length = 16
        while offset < byteCount {
            let bytes = try bytes(at: offset, count: length)
            length = min(2 * length, Self.windowLength / 2)
            if let first = bytes.firstIndex(where: { $0 != 0 }) { return offset + first }
            // Another program has truncated the file.
            if bytes.isEmpty { return offset }
            offset += bytes.count
        }
        return byteCount
    }

    /// The error of a file that cannot be repaired.
    func hopeless(_ cause: String, remedy: String) -> ACCAudioRecorderError {
        .repairFailed(.init(.damaged, "cannot repair \(name)", cause: cause, remedy: remedy))
    }
}
