import SystemPackage

/// A file that libsndfile writes to: a WAV header is made that of RF64 on its way, and at every moment the file has one.
///
/// Used by one thread at a time, the one that calls libsndfile.
final class FileMedium: SoundFileMedium {
    private let descriptor: FileDescriptor
    /// How the header of a WAV file stands there; nil for what is no WAV file.
    private let wavForm: WAVForm?
    private var header: WAVHeader?
    private var firstFrame: (start: Int, length: MP3Length)?
    private(set) var length = 0
    private(set) var failure: Errno?

    enum WAVForm {
        /// RIFF as long as its sizes suffice.
        case riff
        /// RF64 from the start.
        case rf64
    }

    /// - Parameter descriptor: Open for writing, an empty file.
    init(_ descriptor: FileDescriptor, wavForm: WAVForm?) {
        self.descriptor = descriptor
        self.wavForm = wavForm
    }

    /// Appends chunks to a WAV file that is complete, and takes them into its size.
    func append(_ chunks: [UInt8]) throws(Errno) {
        chunks.withUnsafeBytes { write($0, at: length) }
        writeHeader()
        if let failure { throw failure }
    }

    /// Tells the length of an MP3 file of variable bit rate as it is now.
    ///
    /// - Parameter frameCount: Samples of each channel.
    func tellLength(ofMP3 frameCount: Int) {
        if firstFrame == nil { firstFrame = findFirstFrame() }
        guard let (start, length) = firstFrame else { return }
        let tag = length.tag(frameCount: frameCount, byteCount: self.length - start)
        tag.bytes.withUnsafeBytes { write($0, at: start + tag.offset) }
    }

    /// Behind the ID3v2 tag, which says how long it is in seven bits of each byte.
    private func findFirstFrame() -> (start: Int, length: MP3Length)? {
        let tag = read(10, at: 0)
        let start = tag.starts(with: Array("ID3".utf8)) ? 10 + tag.dropFirst(6).reduce(0) { $0 << 7 | Int($1) } : 0
        return MP3Length(frameHeader: read(4, at: start)).map { (start, $0) }
    }

    private func read(_ count: Int, at offset: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // What cannot be read is no header.
        _ = bytes.withUnsafeMutableBytes { try? descriptor.read(fromAbsoluteOffset: Int64(offset), into: $0) }
        return bytes
    }

    private func writeHeader() {
        guard let header, let wavForm else { return }
        let bytes = header.bytes(fileLength: length, isAlwaysLarge: wavForm == .rf64)
        bytes.withUnsafeBytes { write($0, at: 0) }
    }

    /// What a WAV file begins with is its whole header.
    func take(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset == 0, wavForm != nil else { return write(bytes, at: offset) }
        header = WAVHeader(writtenBySoundFile: bytes)
        writeHeader()
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let (count, cause) = descriptor.writeMost(of: bytes, at: Int64(offset))
        length = max(length, offset + count)
        failure = failure ?? cause
    }
}
