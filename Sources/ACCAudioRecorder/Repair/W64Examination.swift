/// Looks at a Wave64 of Sony's, which has identifiers of 16 bytes and sizes of eight.
struct W64Examination {
    private(set) var result: AudioFileExamination

    /// The identifier that a file begins with.
    static let riff: [UInt8] =
        Array("riff".utf8) + [
            0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00,
        ]
    /// The file's size is of all of it, behind the identifier; that of the kind of file follows.
    private static let firstChunk = 40

    init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        let layout = ChunkLayout.w64
        result = AudioFileExamination(format: "W64", keeping: file.byteCount)
        var offset = Self.firstChunk
        var frameSize = 0
        while let chunk = try layout.chunk(at: offset, in: file) {
            switch chunk.name {
            case "fmt ":
                let bytes = try file.bytes(at: chunk.content, count: 16)
                guard bytes.count == 16 else { break }
                result.sampleRate = Int(layout.order.number(bytes[4..<8]))
                frameSize = Int(layout.order.number(bytes[12..<14]))
            case "data" where frameSize > 0:
                let extent = try SampleChunkExtent(
                    from: chunk.content, declared: chunk.byteCount, frameSize: frameSize, layout: layout, in: file)
                result.take(extent)
                result.frameCount = extent.byteCount / frameSize
                try write(UInt64(result.finalByteCount), at: layout.idLength, in: file)
                try write(UInt64(extent.byteCount + layout.headerLength), at: chunk.offset + layout.idLength, in: file)
                return
            default: break
            }
            guard let next = layout.end(of: chunk.byteCount, from: chunk.content) else { break }
            offset = next
        }
        throw file.hopeless("it does not say what its samples are, or has none", remedy: "There is no sound in it.")
    }

    private mutating func write(_ size: UInt64, at offset: Int, in file: AudioFileReader) throws(ACCAudioRecorderError)
    {
        let old = try file.bytes(at: offset, count: 8)
        let isWrong = result.mending.patch(ByteOrder.little.bytes(size, count: 8), over: old, at: offset)
        result.note(.wrongSizes, if: isWrong)
    }
}
