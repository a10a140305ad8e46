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

extension Container {
    /// The header of an AIFF file. libsndfile's final header wrongly counts the pad byte after an odd number of data bytes
    /// as data. So the header before that one is kept, and only the file size in it is updated.
    private struct AIFFHeader: FileHeader {
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
    private struct W64Header: FileHeader {
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
            let format = WAVHeader.extensible(self.bytes[content..<(start + size)], mask: mask)
            self.bytes.replaceSubrange(
                (start + layout.idLength)..<(start + size), with: layout.size(of: format.count) + format)
        }

        var addedByteCount: Int { bytes.count - writtenByteCount }

        func bytes(fileLength: Int) -> [UInt8] {
            bytes[..<16] + ByteOrder.little.bytes(UInt64(max(fileLength, bytes.count)), count: 8) + bytes[24...]
        }
    }
}

/// The header of a WAV file.
///
/// libsndfile writes the plain form, to which this adds a channel mask. It truncates sizes to 32 bits. A longer file is
/// RF64 (EBU Tech 3306), whose sizes are in a `ds64` chunk before all others. The header reserves space for that from
/// the start, as a `JUNK` chunk, so that the samples never move.
struct WAVHeader: FileHeader {
    /// The chunk that reserves space, after those that libsndfile writes by itself.
    static let reserve = (name: "JUNK", content: [UInt8](repeating: 0, count: 28))

    /// libsndfile's header with the mask; ends with the head of the `data` chunk.
    private var bytes: [UInt8]
    /// The length of libsndfile's header in bytes.
    private let writtenByteCount: Int
    private let isAlwaysLarge: Bool

    /// - Parameters:
    ///   - mask: A bit for each channel with a position; nil for the plain form.
    ///   - isAlwaysLarge: Whether the file is RF64 from the start.
    init(writtenBySoundFile bytes: some Sequence<UInt8>, mask: UInt32? = nil, isAlwaysLarge: Bool = false) {
        self.bytes = Array(bytes)
        self.isAlwaysLarge = isAlwaysLarge
        writtenByteCount = self.bytes.count
        guard let mask, let chunk = chunk("fmt ") else { return }
        let content = WAVHeader.extensible(self.bytes[chunk.dropFirst(8)], mask: mask)
        self.bytes.replaceSubrange(chunk, with: Array("fmt ".utf8) + number(content.count, size: 4) + content)
    }

    var addedByteCount: Int { bytes.count - writtenByteCount }

    /// Replaces the content of a chunk, if it has one of this length.
    mutating func replace(_ name: String, with content: [UInt8]) {
        guard let range = chunk(name)?.dropFirst(8), range.count == content.count else { return }
        bytes.replaceSubrange(range, with: content)
    }

    func bytes(fileLength: Int) -> [UInt8] {
        let fileLength = max(fileLength, bytes.count)
        let isLarge = isAlwaysLarge || fileLength - 8 > Int(UInt32.max)
        guard isLarge, let room = chunk(Self.reserve.name), let format = chunk("fmt ") else {
            return bytes[..<4] + number(fileLength - 8, size: 4) + bytes[8...]
        }
        let dataLength = dataLength(fileLength: fileLength)
        let frameSize = Int(bytes[format.lowerBound + 20]) | Int(bytes[format.lowerBound + 21]) << 8
        let sizes =
            number(fileLength - 8, size: 8) + number(dataLength, size: 8) + number(dataLength / frameSize, size: 8)
        let noTable = number(0, size: 4)
        return Array("RF64".utf8) + number(-1, size: 4) + Array("WAVE".utf8)
            + Array("ds64".utf8) + number(Self.reserve.content.count, size: 4) + sizes + noTable
            + bytes[12..<room.lowerBound] + bytes[room.upperBound..<(bytes.count - 4)] + number(-1, size: 4)
    }

    /// The header of a stream, whose length is unknown.
    var bytesOfUnknownLength: [UInt8] {
        bytes[..<4] + number(-1, size: 4) + bytes[8..<(bytes.count - 4)] + number(-1, size: 4)
    }

    /// The length of the samples in bytes. The last four bytes of the header state it without its upper bits.
    private func dataLength(fileLength: Int) -> Int {
        let low = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let room = fileLength - bytes.count
        let length = room & ~Int(UInt32.max) | low
        return length > room ? max(length - (1 << 32), 0) : length
    }

    /// The byte range of a chunk, including its head.
    private func chunk(_ name: String) -> Range<Int>? {
        var start = 12
        while start + 8 <= bytes.count {
            let size = bytes[start + 4..<start + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = start + 8 + size + size % 2
            if bytes[start..<start + 4].elementsEqual(name.utf8), end <= bytes.count { return start..<end }
            start = end
        }
        return nil
    }

    /// A number in little-endian order.
    private func number(_ value: Int, size: Int) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0[..<size]) }
    }
}

// MARK: - The extensible form of a WAV or W64 format chunk

extension WAVHeader {
    /// The extensible form of a format chunk, which states the channels' positions (Microsoft, "Multiple channel audio
    /// data and WAVE files").
    ///
    /// - Parameters:
    ///   - plain: The content of the plain form.
    ///   - mask: A bit for each channel with a position, in channel order.
    fileprivate static func extensible(_ plain: some RandomAccessCollection<UInt8>, mask: UInt32) -> [UInt8] {
        let plain = Array(plain)
        guard plain.count >= 16 else { return plain }
        let (tag, bitsPerSample) = (plain[..<2], plain[14..<16])
        let extensionLength: [UInt8] = [22, 0]
        return [0xFE, 0xFF] + plain[2..<16] + extensionLength + bitsPerSample
            + ByteOrder.little.bytes(UInt64(mask), count: 4) + tag + subformat
    }

    /// The rest of the subformat GUID, after the format tag.
    private static let subformat: [UInt8] = [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
}
