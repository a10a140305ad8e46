extension AudioFileExamination {
    /// Examines an Ogg file with any codec: cuts off an incomplete page at its end, and marks the last page as the last
    /// one.
    struct Ogg {
        private(set) var result: AudioFileExamination

        /// The minimum number of pages: at least two of headers, and one of samples.
        private static let fewestPages = 3

        init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
            result = AudioFileExamination(format: "Ogg", keeping: file.byteCount)
            var (offset, pageCount) = (0, 0)
            // Pages of headers have the position 0, and those on which no packet ends the maximum.
            var hasNoSamples = true
            var last: [UInt64: (offset: Int, page: OggPage)] = [:]
            while let page = try OggPage(at: offset, in: file) {
                last[page.stream] = (offset, page)
                if page.position != 0, page.position != .max { hasNoSamples = false }
                offset += page.bytes.count
                pageCount += 1
            }
            guard pageCount >= Self.fewestPages else {
                throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
            }
            if let next = try OggPage.next(after: offset, in: file) {
                throw file.hopeless(
                    "its page at byte \(offset) is damaged, with more pages from byte \(next)",
                    remedy: "Players skip that page.")
            }
            guard !hasNoSamples else {
                throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
            }
            if try !file.hasTrailer(at: offset) {
                result.plan.keptByteCount = offset
                result.addFault(.cutOff(byteCount: file.byteCount - offset), if: offset < file.byteCount)
            }
            for (offset, page) in last.values.sorted(by: { $0.offset < $1.offset }) where !page.isLast {
                var new = page
                new.isLast = true
                result.addFault(.noEnd, if: result.plan.patch(new.checked.bytes, over: page.bytes, at: offset))
            }
        }
    }
}

/// A page of an Ogg stream (RFC 3533, section 6) with a valid checksum.
struct OggPage {
    /// The whole page.
    private(set) var bytes: [UInt8]

    /// The maximum size of a page in bytes, and of its header including the segment table.
    static let longest = longestHeader + 255 * 255
    static let longestHeader = 27 + 255
    private static let checksum = CRC<UInt32>(polynomial: 0x04C1_1DB7)
    private static let checksumPlace = 22..<26

    /// Nil if no page begins here, or it is incomplete.
    init?(_ bytes: [UInt8]) {
        guard let count = Self.length(of: bytes[...]), bytes.count >= count else { return nil }
        self.bytes = Array(bytes[..<count])
        guard bytes[Self.checksumPlace].elementsEqual(checked.bytes[Self.checksumPlace]) else { return nil }
    }

    /// - Parameter bytes: A page whose checksum is still to be set.
    init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
        self = checked
    }

    /// Nil if no page begins here, or it is incomplete.
    init?(at offset: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) {
        let header = try file.bytes(at: offset, count: Self.longestHeader)
        guard let count = Self.length(of: header[...]) else { return nil }
        self.init(try file.bytes(at: offset, count: count))
    }

    /// The stated length of the page that begins here; nil if none does. The segment table may be truncated.
    static func length(of bytes: ArraySlice<UInt8>) -> Int? {
        let start = bytes.startIndex
        guard bytes.count >= 27, bytes.starts(with: "OggS".utf8), bytes[start + 4] == 0 else { return nil }
        let segmentCount = Int(bytes[start + 26])
        return bytes.dropFirst(27).prefix(segmentCount).reduce(27 + segmentCount) { $0 + Int($1) }
    }

    /// The serial number of its stream.
    var stream: UInt64 { ByteOrder.little.number(bytes[14..<18]) }

    /// What follows the header.
    var content: ArraySlice<UInt8> { bytes[(27 + Int(bytes[26]))...] }

    /// The position of its last sample; 0 in pages of headers.
    var position: UInt64 { ByteOrder.little.number(bytes[6..<14]) }

    /// Whether the page with this header is marked as the first one of its stream.
    static func isFirst(_ header: [UInt8]) -> Bool { header[5] & 2 != 0 }

    /// Whether it is marked as the last page of its stream.
    var isLast: Bool {
        get { bytes[5] & 4 != 0 }
        set { bytes[5] = newValue ? bytes[5] | 4 : bytes[5] & ~4 }
    }

    /// The page with its correct checksum.
    var checked: OggPage {
        var page = self
        page.bytes.replaceSubrange(Self.checksumPlace, with: [0, 0, 0, 0])
        let value = UInt64(Self.checksum.value(of: page.bytes))
        page.bytes.replaceSubrange(Self.checksumPlace, with: ByteOrder.little.bytes(value, count: 4))
        return page
    }
}

extension OggPage {
    /// The offset of the next page after an offset where none begins.
    static func next(after start: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Int? {
        var offset = start + 1
        // Limits the work for a malicious file in which a page seems to begin everywhere, each with a checksum to
        // compute.
        var checkedByteCount = 0
        while offset < file.byteCount {
            let bytes = try file.bytes(at: offset, count: OggPage.longest)
            let first = UInt8(ascii: "O")
            for index in bytes.indices where bytes[index] == first && bytes[index...].starts(with: "OggS".utf8) {
                guard let length = OggPage.length(of: bytes[index...]) else { continue }
                checkedByteCount += length
                guard checkedByteCount <= 4 * file.byteCount else { return offset + index }
                if OggPage(try file.bytes(at: offset + index, count: length)) != nil { return offset + index }
            }
            // A page header may extend into the next block.
            offset += max(bytes.count - OggPage.longestHeader + 1, 1)
        }
        return nil
    }
}
