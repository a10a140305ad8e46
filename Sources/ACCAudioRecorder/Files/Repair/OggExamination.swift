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
