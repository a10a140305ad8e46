/// A chained Ogg file: complete Ogg files, its links, one behind another (RFC 3533, section 4).
enum OggChain {
    /// Where each link lies in bytes; a single range for a file that is not chained. Reads the header of each page.
    static func links(of file: AudioFileReader) throws(ACCAudioRecorderError) -> [Range<Int>] {
        var starts: [Int] = []
        // A link begins with the first pages of all its streams.
        var (offset, wasFirst) = (0, false)
        while offset < file.byteCount {
            let header = try file.bytes(at: offset, count: OggPage.longestHeader)
            if let length = OggPage.length(of: header[...]) {
                let isFirst = OggPage.isFirst(header)
                if isFirst, !wasFirst { starts.append(offset) }
                wasFirst = isFirst
                offset += length
            } else {
                guard let next = try OggPage.next(after: offset, in: file) else { break }
                offset = next
            }
        }
        guard starts.count > 1 else { return [0..<file.byteCount] }
        return zip(starts, starts.dropFirst() + [file.byteCount]).map { $0..<$1 }
    }
}
