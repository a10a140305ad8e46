/// The comment header of an Ogg stream of Vorbis (Vorbis I specification, A.2) or Opus (RFC 7845, section 5.2), with the other
/// header packets after it: all pages between the first page and the samples.
struct OggComments: Chapter.Holder {
    let range: Range<Int>
    private let comments: VorbisComments
    /// What the comment packet begins with.
    private let start: ArraySlice<UInt8>
    /// The header packets after it.
    private let laterPackets: ArraySlice<[UInt8]>
    private let pageCount: Int
    private let stream: UInt64

    /// More pages than headers need.
    private static let mostPages = 4_096

    /// Nil for another codec, for several streams at once, and if samples do not begin on a page of their own.
    init?(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        guard let first = try OggPage(at: 0, in: file) else { return nil }
        let codec = first.content
        let (name, packetCount) = codec.starts(with: "OpusHead".utf8) ? ("OpusTags", 1) : ("\u{3}vorbis", 2)
        guard packetCount == 1 || codec.starts(with: "\u{1}vorbis".utf8) else { return nil }
        stream = first.stream

        var (offset, pageCount, byteCount) = (first.bytes.count, 0, 0)
        var packets: [[UInt8]] = [[]]
        while packets.count <= packetCount {
            guard pageCount < Self.mostPages, byteCount <= ContainerTraits.ChapterForm.largestTags,
                let page = try OggPage(at: offset, in: file), page.stream == stream
            else { return nil }
            page.addPackets(to: &packets)
            offset += page.bytes.count
            byteCount += page.bytes.count
            pageCount += 1
        }
        guard packets.count == packetCount + 1, packets.last?.isEmpty == true, packets[0].starts(with: name.utf8),
            let comments = VorbisComments(packets[0].dropFirst(name.utf8.count))
        else { return nil }
        self.pageCount = pageCount
        (range, self.comments) = (first.bytes.count..<offset, comments)
        (start, laterPackets) = (packets[0].prefix(name.utf8.count), packets[1..<packetCount])
    }

    var chapters: [Chapter] { comments.chapters }

    /// Nil also if the header then takes more pages, since all later pages would need new numbers.
    func bytes(with chapters: [Chapter], until _: Int) -> [UInt8]? {
        guard let new = comments.bytes(with: chapters) else { return nil }
        let pages = OggPage.pages(of: [start + new] + laterPackets, stream: stream, from: 1)
        return pages.count == pageCount ? pages.flatMap(\.bytes) : nil
    }
}

extension OggPage {
    /// The pages of header packets. The last page ends with the last packet.
    static func pages(of packets: [[UInt8]], stream: UInt64, from first: Int) -> [OggPage] {
        let segments = packets.flatMap { packet in
            // The last segment of a packet is shorter than 255 bytes, perhaps empty.
            (0...packet.count / 255).map { packet.dropFirst($0 * 255).prefix(255) }
        }
        return stride(from: 0, to: segments.count, by: 255).enumerated().map { index, start in
            let own = segments[start..<min(start + 255, segments.count)]
            let isContinued = start > 0 && segments[start - 1].count == 255
            // No packet ends on the page.
            let isInside = own.allSatisfy { $0.count == 255 }
            let order = ByteOrder.little
            return OggPage(
                unchecked: Array("OggS".utf8) + [0, isContinued ? 1 : 0] + order.bytes(isInside ? .max : 0, count: 8)
                    + order.bytes(stream, count: 4) + order.bytes(UInt64(first + index), count: 4) + [0, 0, 0, 0]
                    + [UInt8(own.count)] + own.map { UInt8($0.count) } + own.joined())
        }
    }

    /// Adds what the page contains of packets.
    ///
    /// - Parameter packets: The packets so far. The last one is incomplete: empty if its first byte is still to come.
    fileprivate func addPackets(to packets: inout [[UInt8]]) {
        var place = bytes.count - content.count
        for length in bytes[27..<place] {
            packets[packets.count - 1] += bytes[place..<place + Int(length)]
            place += Int(length)
            if length < 255 { packets.append([]) }
        }
    }
}
