/// Comments of FLAC, Vorbis and Opus (Vorbis I specification, section 5). Some state chapters (`CHAPTER001=00:01:02.345`,
/// `CHAPTER001NAME=…`).
struct VorbisComments {
    /// The name of the encoder, with its length.
    private let vendor: ArraySlice<UInt8>
    private let count: Int
    /// The comments, each with its length.
    private let list: ArraySlice<UInt8>
    /// The bytes after the comments: the framing bit of Vorbis, or padding.
    private let rest: ArraySlice<UInt8>
    let chapters: [Chapter]

    /// Nil if they are damaged.
    init?(_ bytes: ArraySlice<UInt8>) {
        var remaining = bytes
        guard let name = Self.takeText(from: &remaining) else { return nil }
        vendor = bytes[..<name.endIndex]
        guard let count = Self.takeNumber(from: &remaining) else { return nil }
        self.count = count
        let start = remaining.startIndex
        var found = ChapterList()
        for _ in 0..<count {
            guard let comment = Self.takeText(from: &remaining) else { return nil }
            found.add(comment)
        }
        (list, rest) = (bytes[start..<remaining.startIndex], remaining)
        chapters = found.chapters
    }

    private static func takeNumber(from bytes: inout ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        defer { bytes = bytes.dropFirst(4) }
        return Int(ByteOrder.little.number(bytes.prefix(4)))
    }

    private static func takeText(from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = takeNumber(from: &bytes), count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    /// The comments with these chapters instead of none; nil if there are some, or too many.
    func bytes(with new: [Chapter]) -> [UInt8]? {
        guard chapters.isEmpty, new.count <= ContainerTraits.ChapterForm.comments.largestCount else { return nil }
        let comments = new.enumerated().flatMap { ChapterList.comments(of: $1, number: $0 + 1) }
        return vendor + Self.bytes(count + comments.count) + list
            + comments.flatMap { Self.bytes($0.utf8.count) + Array($0.utf8) } + rest
    }

    private static func bytes(_ number: Int) -> [UInt8] { ByteOrder.little.bytes(UInt64(number), count: 4) }
}

extension VorbisComments {
    /// The comments that state chapters, by their numbers of three digits.
    private struct ChapterList {
        private var starts: [Int: Int] = [:]
        private var titles: [Int: String] = [:]

        private static let key = "CHAPTER"

        static func comments(of chapter: Chapter, number: Int) -> [String] {
            let name = key + padded(number, to: 3)
            let (seconds, minutes) = (chapter.start / 1_000, chapter.start / 60_000)
            let time = [padded(minutes / 60, to: 2), padded(minutes % 60, to: 2), padded(seconds % 60, to: 2)]
            return [
                "\(name)=\(time.joined(separator: ":")).\(padded(chapter.start % 1_000, to: 3))",
                "\(name)NAME=\(chapter.title)",
            ]
        }

        private static func padded(_ number: Int, to width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
        }

        /// Adds a comment if it is one of a chapter. The first of several counts.
        mutating func add(_ comment: ArraySlice<UInt8>) {
            let start = comment.startIndex
            guard comment.count > 11, comment.prefix(7).map(\.upper).elementsEqual(Self.key.utf8),
                let number = Self.number(comment[start + 7..<start + 10])
            else { return }
            let text = comment[(start + 10)...]
            if text.first == UInt8(ascii: "=") {
                guard starts[number] == nil else { return }
                starts[number] = Self.milliseconds(text.dropFirst())
            } else if text.prefix(5).map(\.upper).elementsEqual("NAME=".utf8), titles[number] == nil {
                titles[number] = String(decoding: text.dropFirst(5), as: UTF8.self)
            }
        }

        /// In the order of their numbers.
        var chapters: [Chapter] {
            starts.sorted { $0.key < $1.key }.map { Chapter(start: $0.value, title: titles[$0.key] ?? "") }
        }

        /// The time that a text such as `1:02:03.45` states; nil if it is none.
        private static func milliseconds(_ text: ArraySlice<UInt8>) -> Int? {
            let fields = text.split(separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count == 3, let hours = number(fields[0]), let minutes = number(fields[1]), minutes < 60 else {
                return nil
            }
            let parts = fields[2].split(separator: UInt8(ascii: "."), maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count <= 2, let seconds = number(parts[0]), seconds < 60 else { return nil }
            var thousandths = 0
            if parts.count == 2 {
                let digits = parts[1].prefix(3)
                guard let number = number(digits) else { return nil }
                thousandths = number * [100, 10, 1][digits.count - 1]
            }
            return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + thousandths
        }

        /// A number of one to six digits.
        private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
            guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }
    }
}

extension UInt8 {
    /// The byte, as a capital letter if it is a small one of ASCII.
    fileprivate var upper: UInt8 { (0x61...0x7A).contains(self) ? self - 0x20 : self }
}

/// The `VORBIS_COMMENT` block of a FLAC file (RFC 9639, section 8.6).
struct FLACComments: Chapter.Holder {
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
