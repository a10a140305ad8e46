/// Looks at an Ogg file, of Vorbis, Opus or whatever else: cuts off the part of a page at its end, and has the last one
/// say that it is the last.
struct OggExamination {
    private(set) var result: AudioFileExamination

    /// The pages that say what the samples are: one, and after it one or more.
    private static let fewestPages = 3

    init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        result = AudioFileExamination(format: "Ogg", keeping: file.byteCount)
        var (offset, pageCount) = (0, 0)
        var last: [UInt64: (offset: Int, page: OggPage)] = [:]
        while let page = OggPage(try file.bytes(at: offset, count: OggPage.longest)) {
            last[page.stream] = (offset, page)
            offset += page.bytes.count
            pageCount += 1
        }
        guard pageCount >= Self.fewestPages else {
            throw file.hopeless("it ends before its samples begin", remedy: "There is no sound in it.")
        }
        if let next = try Self.nextPage(after: offset, in: file) {
            throw file.hopeless(
                "its page at byte \(offset) is damaged, and others follow at byte \(next)",
                remedy: "Players leave that page out.")
        }
        result.mending.keptByteCount = offset
        result.note(.cutOff(byteCount: file.byteCount - offset), if: offset < file.byteCount)
        for (offset, page) in last.values.sorted(by: { $0.offset < $1.offset }) where !page.isLast {
            var new = page
            new.isLast = true
            result.note(.noEnd, if: result.mending.patch(new.checked.bytes, over: page.bytes, at: offset))
        }
    }

    /// Where a page begins behind a place where none does.
    private static func nextPage(after start: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Int? {
        var offset = start + 1
        while offset < file.byteCount {
            let bytes = try file.bytes(at: offset, count: OggPage.longest)
            let first = UInt8(ascii: "O")
            for index in bytes.indices where bytes[index] == first && bytes[index...].starts(with: "OggS".utf8) {
                if OggPage(try file.bytes(at: offset + index, count: OggPage.longest)) != nil { return offset + index }
            }
            // A name may go across two of these.
            offset += max(bytes.count - 3, 1)
        }
        return nil
    }
}
