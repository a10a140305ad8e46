/// An ID3v2 tag at the start of a file (id3.org, ID3v2.3.0 and 2.4.0), with its chapters ("ID3v2 Chapter Frame Addendum").
struct ID3Tag: Chapter.Holder {
    let range: Range<Int>
    /// 3 or 4: the third byte of the header.
    private let version: UInt8
    /// The frames, without padding.
    private let frames: ArraySlice<UInt8>
    /// Whether only padding follows the frames.
    private let isUnderstood: Bool
    let chapters: [Chapter]

    private static let headerLength = 10

    /// A tag without frames if there is none. Nil for other versions, and for features that are hardly used.
    init?(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        let header = try file.bytes(at: 0, count: Self.headerLength)
        guard header.starts(with: "ID3".utf8), header.count == Self.headerLength else {
            // An MP3 frame begins the file.
            guard header.count > 1, header[0] == 0xFF, header[1] & 0xE6 == 0xE2 else { return nil }
            (range, version, frames, isUnderstood, chapters) = (0..<0, 3, [], true, [])
            return
        }
        let length = Self.sevenBitNumber(header[6...])
        // Flags state inserted bytes, an extended header, or a footer.
        guard (3...4).contains(header[3]), header[5] == 0, length <= ContainerTraits.ChapterForm.largestTags else {
            return nil
        }
        let content = try file.bytes(at: Self.headerLength, count: length)
        guard content.count == length else { return nil }
        version = header[3]
        var list = FrameList(content[...], version: version)
        var chapters: [Chapter] = []
        while let frame = list.next() {
            if frame.name == Self.chapterName, let chapter = Self.chapter(frame.content, version: version) {
                chapters.append(chapter)
            }
        }
        (range, self.chapters) = (0..<Self.headerLength + length, chapters)
        frames = content[..<list.rest.startIndex]
        isUnderstood = list.rest.allSatisfy { $0 == 0 }
    }

    private static let chapterName = "CHAP"
    private static let titleName = "TIT2"

    private static func chapter(_ content: ArraySlice<UInt8>, version: UInt8) -> Chapter? {
        // Its name, then four numbers: start and end in milliseconds, and in bytes.
        guard let nameEnd = content.firstIndex(of: 0), content.endIndex - nameEnd > 16 else { return nil }
        var parts = FrameList(content[(nameEnd + 17)...], version: version)
        let start = Int(ByteOrder.big.number(content[nameEnd + 1..<nameEnd + 5]))
        while let part = parts.next() {
            if part.name == titleName { return Chapter(start: start, title: text(part.content)) }
        }
        return Chapter(start: start, title: "")
    }

    /// A text in one of the four encodings, up to its first null character.
    private static func text(_ content: ArraySlice<UInt8>) -> String {
        guard let encoding = content.first else { return "" }
        let bytes = content.dropFirst()
        switch encoding {
        case 0: return String(String.UnicodeScalarView(bytes.prefix { $0 != 0 }.map { Unicode.Scalar($0) }))
        case 1, 2:
            let isLittle = encoding == 1 && bytes.starts(with: [0xFF, 0xFE])
            let isMarked = isLittle || bytes.starts(with: [0xFE, 0xFF])
            let order = isLittle ? ByteOrder.little : .big
            let start = bytes.startIndex + (isMarked ? 2 : 0)
            let units = stride(from: start, to: bytes.endIndex - 1, by: 2).map {
                UInt16(order.number(bytes[$0...$0 + 1]))
            }
            return String(decoding: units.prefix { $0 != 0 }, as: UTF16.self)
        default: return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    fileprivate static func sevenBitNumber(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 7 | Int($1 & 0x7F) }
    }
}

// MARK: - Writing

extension ID3Tag {
    func bytes(with new: [Chapter], until end: Int) -> [UInt8]? {
        guard isUnderstood, chapters.isEmpty, new.count <= ContainerTraits.ChapterForm.id3.largestCount,
            UInt32(exactly: max(end, new.last?.start ?? 0)) != nil
        else { return nil }
        let names = new.indices.map { Array("ch\($0 + 1)".utf8) + [0] }
        // The table of contents: at the top, in order.
        let table = frame("CTOC", Array("toc".utf8) + [0, 3, UInt8(new.count)] + names.joined())
        let ends = new.dropFirst().map(\.start) + [end]
        let list = zip(names, zip(new, ends)).flatMap { name, part in
            frame(Self.chapterName, name + times(part.0.start, part.1) + title(part.0.title))
        }
        let content = frames + table + list
        guard content.count <= ContainerTraits.ChapterForm.largestTags else { return nil }
        return Array("ID3".utf8) + [version, 0, 0] + Self.sevenBits(content.count) + content
    }

    /// The times in milliseconds; no place in bytes is stated.
    private func times(_ start: Int, _ end: Int) -> [UInt8] {
        [start, max(start, end)].flatMap { ByteOrder.big.bytes(UInt64($0), count: 4) }
            + [UInt8](repeating: 0xFF, count: 8)
    }

    /// In UTF-16, which both versions have.
    private func title(_ text: String) -> [UInt8] {
        frame(Self.titleName, [1, 0xFF, 0xFE] + text.utf16.flatMap { ByteOrder.little.bytes(UInt64($0), count: 2) })
    }

    private func frame(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let size = version == 3 ? ByteOrder.big.bytes(UInt64(content.count), count: 4) : Self.sevenBits(content.count)
        return Array(name.utf8) + size + [0, 0] + content
    }

    private static func sevenBits(_ number: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7F) }
    }
}

extension ID3Tag {
    /// The frames of a tag, or of a chapter in it.
    private struct FrameList {
        /// What follows the frames so far.
        private(set) var rest: ArraySlice<UInt8>
        private let version: UInt8

        init(_ bytes: ArraySlice<UInt8>, version: UInt8) {
            (rest, self.version) = (bytes, version)
        }

        /// The next frame; nil at the end, and at padding. One that is compressed or encrypted has no content.
        mutating func next() -> (name: String, content: ArraySlice<UInt8>)? {
            let start = rest.startIndex
            // Capital letters and digits.
            guard rest.count > 10,
                rest.prefix(4).allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) })
            else { return nil }
            let size = rest[start + 4..<start + 8]
            let length = version == 3 ? Int(ByteOrder.big.number(size)) : ID3Tag.sevenBitNumber(size)
            guard length <= rest.count - 10 else { return nil }
            let content = rest[(start + 10)...].prefix(length)
            defer { rest = rest[content.endIndex...] }
            return (String(decoding: rest.prefix(4), as: UTF8.self), rest[start + 9] == 0 ? content : [])
        }
    }
}
