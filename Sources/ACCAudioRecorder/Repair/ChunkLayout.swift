/// How a format is made of chunks: each with an identifier, a size and a content.
struct ChunkLayout: Sendable {
    let order: ByteOrder
    /// Bytes of an identifier, and of a size.
    let idLength: Int
    let sizeLength: Int
    /// Whether the size of a chunk counts its own identifier and size.
    let countsHeader: Bool
    /// What a chunk's size is rounded up to, in bytes.
    let alignment: Int

    static let riff = ChunkLayout(order: .little, idLength: 4, sizeLength: 4, countsHeader: false, alignment: 2)
    static let aiff = ChunkLayout(order: .big, idLength: 4, sizeLength: 4, countsHeader: false, alignment: 2)
    static let caf = ChunkLayout(order: .big, idLength: 4, sizeLength: 8, countsHeader: false, alignment: 1)
    static let w64 = ChunkLayout(order: .little, idLength: 16, sizeLength: 8, countsHeader: true, alignment: 8)

    struct Chunk {
        /// The first four letters of its identifier.
        let name: String
        let offset: Int
        /// Where its content begins.
        let content: Int
        /// Bytes of its content, by its own word; as many as can be where that is nonsense.
        let byteCount: Int
    }

    var headerLength: Int { idLength + sizeLength }

    /// The chunk that begins there; nil where its header does not fit into the file.
    func chunk(at offset: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Chunk? {
        let header = try file.bytes(at: offset, count: headerLength)
        guard header.count == headerLength else { return nil }
        let size = Int(clamping: order.number(header[idLength...]))
        return Chunk(
            name: String(decoding: header[..<4], as: UTF8.self), offset: offset, content: offset + headerLength,
            byteCount: countsHeader ? max(size - headerLength, 0) : size)
    }

    /// The size of a chunk as it is written, for so much content.
    func size(of byteCount: Int) -> [UInt8] {
        order.bytes(UInt64(byteCount + (countsHeader ? headerLength : 0)), count: sizeLength)
    }

    /// Where the chunk after a content of that size begins; nil where that is beyond all measure.
    func end(of byteCount: Int, from content: Int) -> Int? {
        let (end, isTooLarge) = content.addingReportingOverflow(byteCount)
        guard !isTooLarge, end <= Int.max - alignment else { return nil }
        return (end + alignment - 1) / alignment * alignment
    }

    /// How many bytes belong behind so much content, for the next chunk to be aligned.
    func padding(of byteCount: Int, from content: Int) -> Int {
        end(of: byteCount, from: content).map { $0 - content - byteCount } ?? 0
    }

    /// Where the chunks end that follow from there, whole: the end of the file, or a chunk that is cut off there. Nil where
    /// these are no chunks, but samples: few of them look like a name, and none of those has just the right size.
    func endOfChunks(from offset: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Int? {
        var offset = offset
        while offset < file.byteCount {
            guard let chunk = try chunk(at: offset, in: file), chunk.isNamed,
                let next = end(of: chunk.byteCount, from: chunk.content)
            else { return nil }
            // The last one may lack its padding.
            guard chunk.byteCount <= file.byteCount - chunk.content else { return chunk.isCommon ? offset : nil }
            offset = next
        }
        return file.byteCount
    }
}

extension ChunkLayout.Chunk {
    fileprivate var isNamed: Bool { name.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Whether it is of a kind that recorders write behind the samples.
    fileprivate var isCommon: Bool {
        ["LIST", "cue ", "bext", "iXML", "id3 ", "ID3 ", "PEAK", "fact", "smpl", "info", "MARK", "ANNO"].contains(name)
    }
}
