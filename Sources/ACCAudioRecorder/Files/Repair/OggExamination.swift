/// Examines an Ogg file with any codec: cuts off an incomplete page at its end, and marks the last page as the last
/// one.
struct OggExamination {
    private(set) var result: AudioFileExamination

    /// The minimum number of pages: at least two of headers, and one of samples.
    private static let fewestPages = 3

    init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        result = AudioFileExamination(format: "Ogg", keeping: file.byteCount)
        var (offset, pageCount) = (0, 0)
        // Pages of headers have the position 0, and those on which no packet ends the maximum.
        var hasNoSamples = true
        var last: [UInt64: (offset: Int, page: OggPage)] = [:]
        while let page = OggPage(try file.bytes(at: offset, count: OggPage.longest)) {
            last[page.stream] = (offset, page)
            if page.position != 0, page.position != .max { hasNoSamples = false }
            offset += page.bytes.count
            pageCount += 1
        }
        guard pageCount >= Self.fewestPages else {
            throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
        }
        if let next = try Self.nextPage(after: offset, in: file) {
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

    /// The offset of the next page after an offset where none begins.
    private static func nextPage(after start: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Int? {
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
