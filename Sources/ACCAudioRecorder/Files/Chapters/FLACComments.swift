/// The `VORBIS_COMMENT` block of a FLAC file (RFC 9639, section 8.6).
struct FLACComments: ChapterHolder {
    let range: Range<Int>
    private let comments: VorbisComments
    /// The first byte of the block: its type, and whether it is the last one before the frames.
    private let type: UInt8

    /// The type of the block.
    private static let typeNumber: UInt8 = 4
    private static let longestBlock = 1 << 24 - 1
    /// More blocks than any file needs.
    private static let mostBlocks = 1_024

    /// Nil if there is no such block.
    init?(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        var offset = 4
        for _ in 0..<Self.mostBlocks {
            let header = try file.bytes(at: offset, count: 4)
            guard header.count == 4 else { return nil }
            let length = Int(ByteOrder.big.number(header[1...]))
            if header[0] & 0x7F == Self.typeNumber {
                let content = try file.bytes(at: offset + 4, count: length)
                guard content.count == length, let comments = VorbisComments(content[...]) else { return nil }
                (range, self.comments, type) = (offset..<offset + 4 + length, comments, header[0])
                return
            }
            if header[0] & 0x80 != 0 { return nil }
            offset += 4 + length
        }
        return nil
    }

    var chapters: [Chapter] { comments.chapters }

    func bytes(with chapters: [Chapter], until _: Int) -> [UInt8]? {
        guard let content = comments.bytes(with: chapters), content.count <= Self.longestBlock else { return nil }
        return [type] + ByteOrder.big.bytes(UInt64(content.count), count: 3) + content
    }
}
