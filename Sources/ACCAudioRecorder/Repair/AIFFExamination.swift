/// Looks at an AIFF or an AIFF-C.
struct AIFFExamination {
    private(set) var result: AudioFileExamination
    private let file: AudioFileReader
    private let layout = ChunkLayout.aiff

    /// What samples may be packed in, and how many bytes each has then; 0 for as many as its bits need.
    private static let sampleSizes = [
        "NONE": 0, "twos": 0, "sowt": 0, "raw ": 1, "fl32": 4, "FL32": 4, "fl64": 8, "FL64": 8, "in24": 3, "in32": 4,
        "ulaw": 1, "ULAW": 1, "alaw": 1, "ALAW": 1,
    ]

    init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        self.file = file
        let start = try file.bytes(at: 0, count: 12)
        let kind = String(decoding: start.dropFirst(8), as: UTF8.self)
        guard kind == "AIFF" || kind == "AIFC" else {
            throw file.hopeless("it is FORM, and no AIFF", remedy: "Only sound can be mended here.")
        }
        result = AudioFileExamination(format: "AIFF", keeping: file.byteCount)
        var offset = 12
        var common: ChunkLayout.Chunk?
        while let chunk = try layout.chunk(at: offset, in: file) {
            if chunk.name == "SSND", let common {
                try mend(start, common: common, samples: chunk, isCompressible: kind == "AIFC")
                return
            }
            if chunk.name == "COMM" { common = chunk }
            guard let next = layout.end(of: chunk.byteCount, from: chunk.content) else { break }
            offset = next
        }
        throw file.hopeless("it does not say what its samples are, or has none", remedy: "There is no sound in it.")
    }

    private mutating func mend(
        _ start: [UInt8], common: ChunkLayout.Chunk, samples: ChunkLayout.Chunk, isCompressible: Bool
    ) throws(ACCAudioRecorderError) {
        let bytes = try file.bytes(at: common.content, count: 22)
        guard bytes.count >= 18 else {
            throw file.hopeless("it ends before its samples begin", remedy: "There is no sound in it.")
        }
        let order = layout.order
        let packing = isCompressible ? String(decoding: bytes[18...], as: UTF8.self) : "NONE"
        let bits = Int(order.number(bytes[6..<8]))
        guard let size = Self.sampleSizes[packing] else {
            throw file.hopeless("its samples are compressed as '\(packing)'", remedy: "That is not known here.")
        }
        let frameSize = Int(order.number(bytes[..<2])) * (size > 0 ? size : (bits + 7) / 8)
        guard frameSize > 0 else {
            throw file.hopeless("its format has no size", remedy: "Take it as raw samples, if you know what they are.")
        }
        // Before the samples is where they begin, and how they are aligned.
        let extent = try SampleChunkExtent(
            from: samples.content + 8, declared: max(samples.byteCount - 8, 0), frameSize: frameSize, layout: layout,
            in: file)
        result.take(extent)
        result.frameCount = extent.byteCount / frameSize
        result.sampleRate = Self.rate(bytes[8..<18])
        guard result.finalByteCount - 8 <= UInt32.max else {
            throw file.hopeless("AIFF ends at 4 GiB, and it is larger", remedy: "Take it as raw samples.")
        }
        let frames = order.bytes(UInt64(extent.byteCount / frameSize), count: 4)
        result.note(
            .wrongLength, if: result.mending.patch(frames, over: Array(bytes[2..<6]), at: common.content + 2))
        let total = layout.size(of: result.finalByteCount - 8)
        result.note(.wrongSizes, if: result.mending.patch(total, over: Array(start[4..<8]), at: 4))
        let old = layout.size(of: samples.byteCount)
        let new = layout.size(of: extent.byteCount + 8)
        result.note(.wrongSizes, if: result.mending.patch(new, over: old, at: samples.offset + layout.idLength))
    }

    /// A number of 80 bits: sign and exponent, then a mantissa with its leading bit.
    private static func rate(_ bytes: ArraySlice<UInt8>) -> Int? {
        let exponent = Int(ByteOrder.big.number(bytes.prefix(2)) & 0x7FFF) - 16_383
        guard (0..<32).contains(exponent) else { return nil }
        return Int(ByteOrder.big.number(bytes.dropFirst(2)) >> UInt64(63 - exponent))
    }
}
