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
