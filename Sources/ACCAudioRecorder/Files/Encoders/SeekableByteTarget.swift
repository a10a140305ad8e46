import SystemPackage

/// The seekable byte target of a file that libsndfile writes. Corrects the header on its way, so that the file always has
/// a valid one.
///
/// Used by one thread at a time, the one that calls libsndfile.
final class SeekableByteTarget: SoundFile.ByteTarget {
    private let descriptor: FileDescriptor
    private let container: Container
    private let layout: ChannelLayout
    private var header: (any FileHeader)?
    private let isFLAC: Bool
    /// Where an MP3 or FLAC file states its length while it is written.
    private var firstFrame: (start: Int, length: MP3Length)?
    private var flacLength: FLACLength?
    private var isComplete = false
    /// The size of the file in bytes, without what is gathered.
    private var writtenByteCount = 0
    /// What follows that, and is still to be written: libsndfile passes on samples in pieces of 8 KiB.
    private var gathered: [UInt8] = []
    private(set) var failure: Errno?

    /// The most bytes that are gathered.
    private static let mostGathered = 256 << 10

    /// - Parameter descriptor: An empty file, open for reading and writing.
    init(_ descriptor: FileDescriptor, container: Container, layout: ChannelLayout) {
        self.descriptor = descriptor
        self.container = container
        self.layout = layout
        isFLAC = if case .streamInformation = container.traits.length { true } else { false }
    }

    /// The size of the file in bytes.
    var byteCount: Int { writtenByteCount + gathered.count }

    /// The length as libsndfile knows it.
    var length: Int { byteCount - addedByteCount }

    /// How many bytes further the samples are than libsndfile assumes.
    private var addedByteCount: Int { header?.addedByteCount ?? 0 }

    /// Ends the samples, whose length is in the header now. libsndfile rewrites its header after what follows the
    /// samples; that is ignored.
    func complete() {
        isComplete = true
    }

    /// Replaces the content of a chunk before the samples of a complete WAV file by another one of the same length.
    func replace(_ name: String, with content: [UInt8]) throws(Errno) {
        guard var changed = header as? WAVHeader else { return }
        changed.replace(name, with: content)
        header = changed
        writeHeader()
        if let failure { throw failure }
    }

    /// Appends chunks to a complete WAV file and updates its size.
    func append(_ chunks: [UInt8]) throws(Errno) {
        chunks.withUnsafeBytes { write($0, at: byteCount) }
        writeHeader()
        if let failure { throw failure }
    }

    /// Writes the header, which promises only what is in the file.
    private func writeHeader() {
        flush()
        header?.bytes(fileLength: byteCount).withUnsafeBytes { write($0, at: 0) }
    }

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        if isFLAC { countFrame(bytes, at: offset) }
        guard offset == 0 else { return write(bytes, at: offset + addedByteCount) }
        if !isComplete || header == nil {
            header = container.header(writtenBySoundFile: bytes, layout)
        }
        guard header != nil else { return write(bytes, at: 0) }
        writeHeader()
    }

    private func read(_ count: Int, at offset: Int) -> [UInt8] {
        flush()
        var bytes = [UInt8](repeating: 0, count: count)
        // If it cannot be read, no header is found.
        _ = bytes.withUnsafeMutableBytes { try? descriptor.read(fromAbsoluteOffset: Int64(offset), into: $0) }
        return bytes
    }

    /// Gathers bytes that continue the file, and writes others at once.
    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset > 0, offset == byteCount else {
            flush()
            return put(bytes, at: offset)
        }
        gathered.append(contentsOf: bytes)
        if gathered.count >= Self.mostGathered { flush() }
    }

    /// Writes what is gathered.
    func flush() {
        guard !gathered.isEmpty else { return }
        gathered.withUnsafeBytes { put($0, at: writtenByteCount) }
        gathered.removeAll(keepingCapacity: true)
    }

    private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        let (count, cause) = descriptor.writeMost(of: bytes, at: Int64(offset))
        writtenByteCount = max(writtenByteCount, offset + count)
        failure = failure ?? cause
    }
}

// MARK: - The length of a compressed file while it is written

extension SeekableByteTarget {
    /// Writes the current length of a FLAC file, which libsndfile would only do at the end.
    func writeFLACLength() {
        flacLength?.total.withUnsafeBytes { write($0, at: FLACLength.offset) }
    }

    /// Writes the current length of an MP3 file.
    ///
    /// - Parameter frameCount: Samples per channel.
    func writeMP3Length(_ frameCount: Int) {
        if firstFrame == nil { firstFrame = findFirstFrame() }
        guard let (start, length) = firstFrame else { return }
        let tag = length.tag(frameCount: frameCount, byteCount: byteCount - start)
        tag.bytes.withUnsafeBytes { write($0, at: start + tag.offset) }
    }

    /// The start of the first MP3 frame, after the ID3v2 tag, whose size has seven bits per byte.
    private func findFirstFrame() -> (start: Int, length: MP3Length)? {
        let tag = read(10, at: 0)
        let start = tag.starts(with: Array("ID3".utf8)) ? 10 + tag.dropFirst(6).reduce(0) { $0 << 7 | Int($1) } : 0
        return MP3Length(frameHeader: read(4, at: start)).map { (start, $0) }
    }

    /// Samples per channel in the frames of a FLAC file; nil for other formats.
    var encodedFrameCount: Int? { flacLength?.frameCount }

    /// Counts a FLAC frame. libFLAC writes each frame, and each metadata block before them, with a single call.
    private func countFrame(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset == byteCount else { return }
        if flacLength == nil {
            flacLength = FLACLength(streamInformation: bytes, at: offset)
        } else if let frame = FLACFrameHeader(Array(bytes.prefix(FLACFrameHeader.longest))) {
            flacLength?.frameCount += frame.blockSize
        }
    }
}

extension SeekableByteTarget {
    /// The length of a FLAC file, as stated in its first metadata block, STREAMINFO (RFC 9639, 8.2).
    ///
    /// libFLAC writes it only at the end. Without it, readers could not play, or not seek in, the file of a killed program.
    private struct FLACLength {
        /// Its offset in the file: five bytes, of which the upper four bits of the first belong to another field.
        static let offset = 21
        /// Samples per channel in the frames written so far.
        var frameCount = 0
        private let otherBits: UInt8

        /// Nil if the written bytes do not contain the field.
        ///
        /// - Parameters:
        ///   - bytes: The bytes being written.
        ///   - offset: Their offset in the file.
        init?(streamInformation bytes: UnsafeRawBufferPointer, at offset: Int) {
            guard (1...Self.offset).contains(offset), offset + bytes.count > Self.offset else { return nil }
            otherBits = bytes[Self.offset - offset] & 0xF0
        }

        /// The bytes of the field.
        var total: [UInt8] {
            var bytes = ByteOrder.big.bytes(UInt64(frameCount), count: 5)
            bytes[0] = bytes[0] & 0x0F | otherBits
            return bytes
        }
    }

    /// The length of an MP3 file with variable bit rate, as stated by the Xing tag in its first frame.
    ///
    /// LAME leaves that frame empty until the end. Without the tag, a reader estimates the length from the bit rate of that
    /// one frame, and may cut off the file of a killed program.
    private struct MP3Length {
        /// The offset of the tag in the frame.
        private let offset: Int
        private let samplesPerFrame: Int

        /// - Parameter header: The four bytes that begin the frame; nil if they are not a frame header.
        init?(frameHeader header: some RandomAccessCollection<UInt8>) {
            let header = Array(header)
            guard header.count >= 4, header[0] == 0xFF, header[1] & 0xE0 == 0xE0 else { return nil }
            let (isFirstVersion, isMono) = (header[1] >> 3 & 3 == 3, header[3] >> 6 == 3)
            samplesPerFrame = isFirstVersion ? 1_152 : 576
            // After the frame's side information.
            offset = 4 + (isFirstVersion ? (isMono ? 17 : 32) : (isMono ? 9 : 17))
        }

        /// The tag, and its offset in the frame.
        ///
        /// - Parameters:
        ///   - frameCount: Samples per channel.
        ///   - byteCount: The size in bytes from this frame to the end of the file.
        func tag(frameCount: Int, byteCount: Int) -> (bytes: [UInt8], offset: Int) {
            // The first number is a bit mask: both others are present.
            let numbers = [3, frameCount / samplesPerFrame, byteCount]
            let bytes = numbers.flatMap { withUnsafeBytes(of: UInt32(clamping: $0).bigEndian) { Array($0) } }
            return (Array("Xing".utf8) + bytes, offset)
        }
    }
}

/// The forward-only byte target of a pipe: passes on what libsndfile writes in order; nothing can be changed afterwards.
///
/// A WAV header states the length of the samples. It is unknown here, so the header has the largest number possible,
/// which readers understand as "until the end". They would read anything after the samples as samples too, so none of
/// that is written.
///
/// Used by one thread at a time, the one that calls libsndfile.
final class ForwardByteTarget: SoundFile.ByteTarget {
    private let pipe: OutputPipe
    private let container: Container
    private let layout: ChannelLayout
    /// The header of a WAV stream until it is written; libsndfile rewrites it while the stream is being set up.
    private var header: WAVHeader?
    /// The length of libsndfile's header, and how many bytes longer the one written is.
    private var headerLength = 0
    private var addedByteCount = 0
    /// The number of bytes written to the pipe.
    private(set) var byteCount = 0
    private(set) var failure: Errno?
    private var isComplete = false

    init(_ pipe: OutputPipe, container: Container, layout: ChannelLayout) {
        self.pipe = pipe
        self.container = container
        self.layout = layout
    }

    /// The length as libsndfile knows it.
    var length: Int { max(headerLength, byteCount - addedByteCount) }

    func receive(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard !isComplete else { return }
        if offset == 0, byteCount == 0,
            let header = container.header(writtenBySoundFile: bytes, layout) as? WAVHeader
        {
            (self.header, headerLength, addedByteCount) = (header, bytes.count, header.addedByteCount)
            return
        }
        if let header = header.take() { header.bytesOfUnknownLength.withUnsafeBytes(write) }
        guard offset + addedByteCount == byteCount else { return }
        write(bytes)
    }

    /// Does nothing: what is received is written at once.
    func flush() {}

    /// Ends the samples: what libsndfile writes from now on to a WAV stream is dropped.
    func complete() {
        isComplete = container.traits.isWAV
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        let (count, cause) = pipe.write(bytes)
        byteCount += count
        failure = cause
    }
}
