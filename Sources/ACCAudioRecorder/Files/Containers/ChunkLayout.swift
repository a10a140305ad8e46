/// The chunk structure of a format: each chunk has an identifier, a size and content.
struct ChunkLayout: Sendable {
    let order: ByteOrder
    /// The length in bytes of an identifier, and of a size.
    let idLength: Int
    let sizeLength: Int
    /// Whether the size of a chunk includes its identifier and size fields.
    let countsHeader: Bool
    /// Chunks are padded to a multiple of this many bytes.
    let alignment: Int
    /// Whether the last chunk is padded, too. In W64, whose samples libsndfile and SoX read up to the end of the file, padding
    /// would become samples.
    var padsLastChunk = true

    /// The plausible channel counts. A header with more is not trusted, so that nothing is cut off because of it.
    static let channelCounts = 1...1_024

    static let riff = ChunkLayout(order: .little, idLength: 4, sizeLength: 4, countsHeader: false, alignment: 2)
    static let aiff = ChunkLayout(order: .big, idLength: 4, sizeLength: 4, countsHeader: false, alignment: 2)
    static let caf = ChunkLayout(order: .big, idLength: 4, sizeLength: 8, countsHeader: false, alignment: 1)
    static let w64 = ChunkLayout(
        order: .little, idLength: 16, sizeLength: 8, countsHeader: true, alignment: 8,
        padsLastChunk: false)

    struct Chunk {
        /// The first four letters of its identifier, and the remaining bytes.
        let name: String
        let nameRest: [UInt8]
        let offset: Int
        /// The offset of its content.
        let content: Int
        /// The stated size of its content in bytes, clamped if it is nonsense.
        let byteCount: Int
    }

    var headerLength: Int { idLength + sizeLength }

    /// The chunk at this offset; nil if its header does not fit into the file.
    func chunk(at offset: Int, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Chunk? {
        let header = try file.bytes(at: offset, count: headerLength)
        guard header.count == headerLength else { return nil }
        let size = Int(clamping: order.number(header[idLength...]))
        return Chunk(
            name: String(decoding: header[..<4], as: UTF8.self), nameRest: Array(header[4..<idLength]), offset: offset,
            content: offset + headerLength,
            byteCount: countsHeader ? max(size - headerLength, 0) : size)
    }

    /// The size field of a chunk with this many bytes of content.
    func size(of byteCount: Int) -> [UInt8] {
        order.bytes(UInt64(byteCount + (countsHeader ? headerLength : 0)), count: sizeLength)
    }

    /// The offset of the chunk after content of this size; nil if that is too large.
    func end(of byteCount: Int, from content: Int) -> Int? {
        let (end, isTooLarge) = content.addingReportingOverflow(byteCount)
        guard !isTooLarge, end <= Int.max - alignment else { return nil }
        // The size decides, not the place, which is odd where padding is missing before.
        return content + (byteCount + alignment - 1) / alignment * alignment
    }

    /// The offset of the chunk after this one; nil if its size is too large. Some recorders write no padding.
    func next(after chunk: Chunk, in file: AudioFileReader) throws(ACCAudioRecorderError) -> Int? {
        guard let padded = end(of: chunk.byteCount, from: chunk.content) else { return nil }
        let unpadded = chunk.content + chunk.byteCount
        guard unpadded < padded, try self.chunk(at: padded, in: file)?.isKnown != true,
            try self.chunk(at: unpadded, in: file)?.isKnown == true
        else { return padded }
        return unpadded
    }

    /// The error of a file in which a walk from chunk to chunk finds no samples, or nothing that describes them.
    ///
    /// - Parameters:
    ///   - last: The last chunk of the walk of a known kind; nil if there is none.
    ///   - name: The name of the chunk of samples.
    func noSamples(after last: Chunk?, named name: String, in file: AudioFileReader) -> ACCAudioRecorderError {
        let remedy = "Import it as raw samples if you know their format."
        guard let last, last.name != name, let bytes = try? file.bytes(at: last.content, count: Self.searchedLength),
            let place = bytes.indices.first(where: { bytes[$0...].starts(with: name.utf8) })
        else { return file.hopeless("no samples were found behind its header", remedy: remedy) }
        return file.hopeless(
            "the size of its chunk '\(last.name)' at byte \(last.offset), or of one behind it, is wrong: its "
                + "samples seem to begin behind byte \(last.content + place)",
            remedy: remedy)
    }

    /// How many bytes are searched for samples behind a chunk of a wrong size.
    private static let searchedLength = 64 << 10

    /// The number of pad bytes after content of this size.
    func padding(of byteCount: Int, from content: Int) -> Int {
        end(of: byteCount, from: content).map { $0 - content - byteCount } ?? 0
    }

    /// The end of the file's own format, if the stated size of the samples is right and other data (chunks or a
    /// trailer) follow them. Nil if what follows may be samples.
    ///
    /// - Parameter total: The stated size of the whole file; nil if the format states none.
    func end(
        of byteCount: Int, from content: Int, total: Int?, followedIn file: AudioFileReader
    ) throws(ACCAudioRecorderError) -> Int? {
        let end = content + byteCount
        // A size of 0 was written by a recorder that never updated it; zeros are silence then.
        let mayHaveTrailer = byteCount > 0
        // Some recorders write no padding, and all readers find what stands behind the samples.
        for offset in Set([end + padding(of: byteCount, from: content), end]).sorted(by: >) {
            if let end = try endOfChunks(from: offset, total: total, mayHaveTrailer: mayHaveTrailer, in: file) {
                return end
            }
        }
        return nil
    }

    /// The end of the complete chunks that start here: the end of the file, or the start of a trailer or of a truncated
    /// chunk. Nil if this is not a sequence of chunks but samples: few samples look like a name, and of those none is
    /// followed by just the right size.
    private func endOfChunks(
        from offset: Int, total: Int?, mayHaveTrailer: Bool, in file: AudioFileReader
    ) throws(ACCAudioRecorderError) -> Int? {
        let start = offset
        var offset = start
        while offset < file.byteCount {
            if offset > start, offset == total { return offset }
            if mayHaveTrailer, try file.hasTrailer(at: offset) { return offset }
            guard let chunk = try chunk(at: offset, in: file), chunk.isNamed,
                let next = end(of: chunk.byteCount, from: chunk.content)
            else { return nil }
            // The last chunk may lack its padding. A truncated one that ends where the header says that the file ends shows
            // that the recorder had finished.
            guard chunk.byteCount <= file.byteCount - chunk.content else {
                return chunk.isCommon || total == next || total == chunk.content + chunk.byteCount ? offset : nil
            }
            offset = next
        }
        return file.byteCount
    }
}

extension ChunkLayout.Chunk {
    /// Whether it is of a kind that files with samples have.
    var isKnown: Bool {
        isCommon || ["fmt ", "data", "ds64", "JUNK", "COMM", "SSND", "FVER", "NAME", "INST"].contains(name)
    }

    fileprivate var isNamed: Bool { name.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Whether it is of a kind that recorders write after the samples.
    fileprivate var isCommon: Bool {
        [
            "LIST", "cue ", "bext", "guan", "iXML", "id3 ", "ID3 ", "PEAK", "fact", "smpl", "info", "MARK", "ANNO",
            "free",
            "uuid",
            "ovvw", "peak", "umid", "strg", "mark",
        ].contains(name)
    }
}
