/// Looks at a RIFF WAVE, or at an RF64 (EBU Tech 3306), which has its sizes in a chunk `ds64` of its own.
struct WAVExamination {
    private(set) var result: AudioFileExamination
    private let file: AudioFileReader
    private let layout = ChunkLayout.riff

    /// The size that says that the true one is in `ds64`.
    private static let elsewhere: UInt64 = 0xFFFF_FFFF
    /// The content of `ds64`: the sizes of the file and of the samples, the number of frames, and how many more sizes.
    private static let largeSizesLength = 28

    init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        self.file = file
        let start = try file.bytes(at: 0, count: 12)
        guard start.count == 12, start[8...].elementsEqual("WAVE".utf8) else {
            throw file.hopeless("it is RIFF, and no WAVE", remedy: "Only sound can be mended here.")
        }
        let isLarge = start[..<4].elementsEqual("RF64".utf8)
        result = AudioFileExamination(format: isLarge ? "RF64" : "WAV", keeping: file.byteCount)

        var offset = 12
        var (format, fact, large): (ChunkLayout.Chunk?, ChunkLayout.Chunk?, ChunkLayout.Chunk?)
        while let chunk = try layout.chunk(at: offset, in: file) {
            switch chunk.name {
            case "data":
                try mend(start, samples: chunk, format: format, fact: fact, large: large, isLarge: isLarge)
                return
            case "fmt ": format = chunk
            case "fact": fact = chunk
            case "ds64" where offset == 12 && isLarge, "JUNK" where offset == 12 && !isLarge:
                large = chunk.byteCount >= Self.largeSizesLength ? chunk : nil
            default: break
            }
            guard let next = layout.end(of: chunk.byteCount, from: chunk.content) else { break }
            offset = next
        }
        throw file.hopeless("it ends before its samples begin", remedy: "There is no sound in it.")
    }

    private mutating func mend(
        _ start: [UInt8], samples: ChunkLayout.Chunk, format: ChunkLayout.Chunk?, fact: ChunkLayout.Chunk?,
        large: ChunkLayout.Chunk?, isLarge: Bool
    ) throws(ACCAudioRecorderError) {
        let bytes = try format.map { chunk throws(ACCAudioRecorderError) in
            try file.bytes(at: chunk.content, count: min(chunk.byteCount, 26))
        }
        guard let bytes, bytes.count >= 16 else {
            throw file.hopeless("it does not say what its samples are", remedy: "Take it as raw samples, if you know.")
        }
        func number(_ range: Range<Int>) -> Int { Int(layout.order.number(bytes[range])) }
        let (code, frameSize) = (number(0..<2), number(12..<14))
        guard frameSize > 0, number(2..<4) > 0 else {
            throw file.hopeless("its format has no size", remedy: "Take it as raw samples, if you know what they are.")
        }
        let sizes =
            isLarge
            ? try large.map { chunk throws(ACCAudioRecorderError) in
                try file.bytes(at: chunk.content, count: Self.largeSizesLength)
            } : nil
        let isElsewhere = UInt64(samples.byteCount) == Self.elsewhere
        var declared = samples.byteCount
        if let sizes, sizes.count == Self.largeSizesLength, isElsewhere {
            declared = Int(clamping: layout.order.number(sizes[8..<16]))
        }
        let extent = try SampleChunkExtent(
            from: samples.content, declared: declared, frameSize: frameSize, layout: layout, in: file)
        result.take(extent)
        result.sampleRate = number(4..<8)
        // PCM, floating point, A-law, µ-law, and the extensible form of one of them: what is not packed into blocks.
        let isPacked = ![1, 3, 6, 7].contains(code == 0xFFFE && bytes.count >= 26 ? number(24..<26) : code)
        let frames = extent.byteCount / frameSize
        result.frameCount = isPacked ? nil : frames
        if let fact, !isPacked, fact.byteCount >= 4 {
            let old = try file.bytes(at: fact.content, count: 4)
            let new = layout.order.bytes(min(UInt64(frames), Self.elsewhere), count: 4)
            result.note(.wrongLength, if: result.mending.patch(new, over: old, at: fact.content))
        }
        if isLarge || result.finalByteCount - 8 > Self.elsewhere - 1 {
            try writeLargeSizes(start, samples, extent, frames: frames, into: large, isNew: !isLarge)
        } else {
            writeSizes(start, samples, extent)
        }
    }

    private mutating func writeSizes(_ start: [UInt8], _ samples: ChunkLayout.Chunk, _ extent: SampleChunkExtent) {
        let riffSize = layout.size(of: result.finalByteCount - 8)
        let dataSize = layout.size(of: extent.byteCount)
        let hasWrongTotal = result.mending.patch(riffSize, over: Array(start[4..<8]), at: 4)
        let old = layout.size(of: samples.byteCount)
        let hasWrongSize = result.mending.patch(dataSize, over: old, at: samples.offset + layout.idLength)
        result.note(.wrongSizes, if: hasWrongTotal || hasWrongSize)
    }

    /// Writes sizes of 64 bits: over those that are there, over room that was kept for them, or else in between.
    private mutating func writeLargeSizes(
        _ start: [UInt8], _ samples: ChunkLayout.Chunk, _ extent: SampleChunkExtent, frames: Int,
        into chunk: ChunkLayout.Chunk?, isNew: Bool
    ) throws(ACCAudioRecorderError) {
        let added = chunk == nil ? layout.headerLength + Self.largeSizesLength : 0
        let order = layout.order
        var sizes = order.bytes(UInt64(result.finalByteCount + added - 8), count: 8)
        sizes += order.bytes(UInt64(extent.byteCount), count: 8) + order.bytes(UInt64(frames), count: 8)
        var isWrong = false
        if let chunk {
            let old = try file.bytes(at: chunk.content, count: sizes.count)
            isWrong = result.mending.patch(sizes, over: old, at: chunk.content)
            if isNew { isWrong = result.mending.patch(Array("ds64".utf8), over: [], at: chunk.offset) }
        } else {
            let header = Array("ds64".utf8) + layout.size(of: Self.largeSizesLength)
            result.mending.insertion = .init(offset: 12, bytes: header + sizes + order.bytes(0, count: 4))
            isWrong = true
        }
        let elsewhere = order.bytes(Self.elsewhere, count: 4)
        let head = Array("RF64".utf8) + elsewhere
        isWrong = result.mending.patch(head, over: Array(start[..<8]), at: 0) || isWrong
        let old = layout.size(of: samples.byteCount)
        isWrong = result.mending.patch(elsewhere, over: old, at: samples.offset + layout.idLength) || isWrong
        result.note(.wrongSizes, if: isWrong)
    }
}

extension AudioFileExamination {
    /// The size of the file when it is mended, but for what comes in between, in bytes.
    var finalByteCount: Int { mending.keptByteCount + mending.tail.count }

    /// Keeps what the samples of a file made of chunks leave of it.
    mutating func take(_ extent: SampleChunkExtent) {
        mending.keptByteCount = extent.keptByteCount
        mending.tail = [UInt8](repeating: 0, count: extent.missingPadding)
        note(.cutOff(byteCount: extent.restByteCount), if: extent.restByteCount > 0)
        note(.noPadding, if: extent.missingPadding > 0 && extent.restByteCount == 0)
    }
}
