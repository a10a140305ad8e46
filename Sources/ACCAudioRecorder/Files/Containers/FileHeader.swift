/// The header of a file, from its first byte up to the samples, that replaces libsndfile's.
protocol FileHeader {
    /// How many bytes longer it is than libsndfile's header.
    var addedByteCount: Int { get }

    /// The header of a file with this length in bytes.
    func bytes(fileLength: Int) -> [UInt8]
}

extension Container {
    /// The header to write instead of the one that libsndfile has written to a file or stream; nil if that is correct.
    func header(writtenBySoundFile bytes: UnsafeRawBufferPointer, _ layout: ChannelLayout) -> (any FileHeader)? {
        let mask: UInt32? = if case .mask(let mask) = layout.marking { mask } else { nil }
        return switch traits.header {
        case .wav(let isAlwaysLarge)?: WAVHeader(writtenBySoundFile: bytes, mask: mask, isAlwaysLarge: isAlwaysLarge)
        case .w64?: W64Header(writtenBySoundFile: bytes, mask: mask)
        case .aiff?: AIFFHeader(writtenBySoundFile: bytes)
        case nil: nil
        }
    }
}

/// The header of an AIFF file. libsndfile's final header wrongly counts the pad byte after an odd number of data bytes
/// as data. So the header before that one is kept, and only the file size in it is updated.
struct AIFFHeader: FileHeader {
    private let bytes: [UInt8]
    let addedByteCount = 0

    init(writtenBySoundFile bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    func bytes(fileLength: Int) -> [UInt8] {
        bytes[..<4] + ByteOrder.big.bytes(UInt64(max(fileLength, bytes.count) - 8), count: 4) + bytes[8...]
    }
}

/// The header of a W64 file with a channel mask, which libsndfile does not write.
struct W64Header: FileHeader {
    private var bytes: [UInt8]
    /// The length of libsndfile's header in bytes.
    private let writtenByteCount: Int

    /// The offsets of the format chunk, which follows the identifiers and the file size, and of its content.
    private static let format = (start: 40, content: 64)

    /// - Parameter mask: A bit for each channel with a position; nil for the plain format chunk.
    init(writtenBySoundFile bytes: some Sequence<UInt8>, mask: UInt32?) {
        self.bytes = Array(bytes)
        writtenByteCount = self.bytes.count
        let layout = ChunkLayout.w64
        let (start, content) = Self.format
        guard let mask, self.bytes.count >= content else { return }
        let size = Int(clamping: layout.order.number(self.bytes[(start + layout.idLength)..<content]))
        guard start + size <= self.bytes.count else { return }
        let format = ExtensibleFormat.chunk(self.bytes[content..<(start + size)], mask: mask)
        self.bytes.replaceSubrange(
            (start + layout.idLength)..<(start + size), with: layout.size(of: format.count) + format)
    }

    var addedByteCount: Int { bytes.count - writtenByteCount }

    func bytes(fileLength: Int) -> [UInt8] {
        bytes[..<16] + ByteOrder.little.bytes(UInt64(max(fileLength, bytes.count)), count: 8) + bytes[24...]
    }
}

/// The content of a WAV or W64 format chunk in its extensible form.
enum ExtensibleFormat {
    /// The extensible form of a format chunk, which states the channels' positions (Microsoft, "Multiple channel audio
    /// data and WAVE files").
    ///
    /// - Parameters:
    ///   - plain: The content of the plain form.
    ///   - mask: A bit for each channel with a position, in channel order.
    static func chunk(_ plain: some RandomAccessCollection<UInt8>, mask: UInt32) -> [UInt8] {
        let plain = Array(plain)
        guard plain.count >= 16 else { return plain }
        let (tag, bitsPerSample) = (plain[..<2], plain[14..<16])
        let extensionLength: [UInt8] = [22, 0]
        return [0xFE, 0xFF] + plain[2..<16] + extensionLength + bitsPerSample
            + ByteOrder.little.bytes(UInt64(mask), count: 4) + tag + Self.rest
    }

    /// The rest of the subformat GUID, after the format tag.
    private static let rest: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
}
