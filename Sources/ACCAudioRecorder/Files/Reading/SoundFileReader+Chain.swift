import CSndFile

extension SoundFileReader {
    /// The links of a chained Ogg file, opened one by one, because libsndfile reads the first one only.
    struct Chain {
        private struct Link {
            let range: Range<Int>
            /// The number of its first frame in the whole file; nil if an earlier link states no length.
            let firstFrame: Int?
        }

        private let file: OpenFile
        private let links: [Link]
        /// The number of frames of all links; 0 if one of them states none.
        let frameCount: Int
        /// The number of omitted links and the reason, in words; nil if none are omitted.
        let omission: String?

        /// Nil if the file is not chained.
        ///
        /// - Parameter first: What libsndfile says of the first link; others are left out if their form differs.
        init?(_ file: OpenFile, first: SF_INFO) throws(SoundFileFailure) {
            let ranges: [Range<Int>]
            do {
                ranges = try AudioFileReader(file.descriptor, name: "it").oggLinks()
            } catch {
                throw SoundFileFailure("\(error)")
            }
            guard ranges.count > 1 else { return nil }
            self.file = file
            var links: [Link] = []
            var frameCount: Int? = 0
            for range in ranges {
                guard let handle = try? Handle(Part(of: file, range)),
                    handle.info.samplerate == first.samplerate, handle.info.channels == first.channels
                else { continue }
                links.append(Link(range: range, firstFrame: frameCount))
                frameCount = handle.frameCount > 0 ? frameCount.map { $0 + handle.frameCount } : nil
            }
            (self.links, self.frameCount) = (links, frameCount ?? 0)
            let count = ranges.count - links.count
            omission =
                count == 0
                ? nil
                : "it is a chain of \(ranges.count) Ogg files, of which \(count) \(count == 1 ? "is" : "are") left out: "
                    + "with another sample rate or channel count, or not readable"
        }

        var linkCount: Int { links.count }

        func open(_ link: Int) throws(SoundFileFailure) -> Handle {
            try Handle(Part(of: file, links[link].range))
        }

        /// The link that has a frame, and the frame's number in the link; nil for a frame before the file, or behind a link of
        /// unknown length.
        func place(of frame: Int) -> (link: Int, frame: Int)? {
            guard let link = links.lastIndex(where: { $0.firstFrame.map { $0 <= frame } ?? false }),
                let first = links[link].firstFrame
            else { return nil }
            return (link, frame - first)
        }
    }
}

extension AudioFileReader {
    /// Where each link of an Ogg file lies in bytes: a chained one is complete Ogg files, one behind another (RFC 3533,
    /// section 4). A single range for a file that is not chained. Reads the header of each page.
    fileprivate func oggLinks() throws(ACCAudioRecorderError) -> [Range<Int>] {
        var starts: [Int] = []
        // A link begins with the first pages of all its streams.
        var (offset, wasFirst) = (0, false)
        while offset < byteCount {
            let header = try bytes(at: offset, count: OggPage.longestHeader)
            if let length = OggPage.length(of: header[...]) {
                let isFirst = OggPage.isFirst(header)
                if isFirst, !wasFirst { starts.append(offset) }
                wasFirst = isFirst
                offset += length
            } else {
                guard let next = try OggPage.next(after: offset, in: self) else { break }
                offset = next
            }
        }
        guard starts.count > 1 else { return [0..<byteCount] }
        return zip(starts, starts.dropFirst() + [byteCount]).map { $0..<$1 }
    }
}
