extension AudioFileExamination {
    /// Examines an AIFF or AIFF-C file.
    struct AIFF {
        private(set) var result: AudioFileExamination
        private let file: AudioFileReader
        private let layout = ChunkLayout.aiff

        /// The supported sample formats with their size in bytes; 0 if that follows from the number of bits.
        private static let sampleSizes = [
            "NONE": 0, "twos": 0, "sowt": 0, "raw ": 1, "fl32": 4, "FL32": 4, "fl64": 8, "FL64": 8, "in24": 3,
            "in32": 4,
            "ulaw": 1, "ULAW": 1, "alaw": 1, "ALAW": 1,
        ]

        init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
            self.file = file
            let start = try file.bytes(at: 0, count: 12)
            let kind = String(decoding: start.dropFirst(8), as: UTF8.self)
            guard kind == "AIFF" || kind == "AIFC" else {
                throw file.hopeless("it is an IFF file, but not AIFF", remedy: "Only audio files can be repaired.")
            }
            result = AudioFileExamination(format: "AIFF", keeping: file.byteCount)
            var last: ChunkLayout.Chunk?
            var offset = 12
            // The two may come in any order.
            var (common, samples): (ChunkLayout.Chunk?, ChunkLayout.Chunk?)
            while let chunk = try layout.chunk(at: offset, in: file) {
                if chunk.name == "SSND" { samples = chunk }
                if chunk.name == "COMM" { common = chunk }
                if let common, let samples {
                    try repair(start, common: common, samples: samples, isCompressible: kind == "AIFC")
                    return
                }
                if chunk.isKnown { last = chunk }
                guard let next = try result.place(after: chunk, layout, in: file) else { break }
                offset = next
            }
            throw layout.noSamples(after: last, named: "SSND", in: file)
        }

        private mutating func repair(
            _ start: [UInt8], common: ChunkLayout.Chunk, samples: ChunkLayout.Chunk, isCompressible: Bool
        ) throws(ACCAudioRecorderError) {
            let bytes = try file.bytes(at: common.content, count: 22)
            guard bytes.count >= 18 else {
                throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
            }
            let order = layout.order
            let packing = isCompressible ? String(decoding: bytes[18...], as: UTF8.self) : "NONE"
            let bits = Int(order.number(bytes[6..<8]))
            guard let size = Self.sampleSizes[packing] else {
                throw file.hopeless("its samples are compressed", remedy: "That compression is not supported.")
            }
            let channels = Int(order.number(bytes[..<2]))
            let frameSize = channels * (size > 0 ? size : (bits + 7) / 8)
            guard ChunkLayout.channelCounts.contains(channels), frameSize > 0, (1...64).contains(bits),
                let rate = Self.rate(bytes[8..<18]), rate > 0
            else {
                throw file.hopeless(
                    "its header does not describe its samples",
                    remedy: "Import it as raw samples if you know their format."
                )
            }
            // The samples follow two fields, their offset and the alignment, and as many bytes as the offset says.
            let offset = Int(order.number(try file.bytes(at: samples.content, count: 4)))
            let prefix = 8 + (offset <= max(samples.byteCount - 8, 0) ? offset : 0)
            let extent = try SampleExtent(
                from: samples.content + prefix, declared: max(samples.byteCount - prefix, 0), frameSize: frameSize,
                total: Int(order.number(start[4..<8])) + 8, layout: layout, in: file)
            result.apply(extent)
            result.sampleRate = rate
            guard result.finalByteCount - 8 <= UInt32.max else {
                throw file.hopeless("it is larger than the 4 GiB that AIFF allows", remedy: "Import it as raw samples.")
            }
            // libsndfile counts padding as samples, and others fill the last block: where the size of the samples is right, the
            // number of frames may be less than fits.
            let stated = Int(order.number(bytes[2..<6]))
            let isStated = stated > 0 && extent.isAsDeclared && stated * frameSize <= extent.byteCount
            let frames = isStated ? stated : extent.byteCount / frameSize
            result.frameCount = frames
            let count = order.bytes(UInt64(frames), count: 4)
            result.addFault(
                .wrongLength, if: result.plan.patch(count, over: Array(bytes[2..<6]), at: common.content + 2))
            let total = layout.size(of: result.finalByteCount - 8)
            result.addFault(.wrongSizes, if: result.plan.patch(total, over: Array(start[4..<8]), at: 4))
            let old = layout.size(of: samples.byteCount)
            let new = layout.size(of: extent.byteCount + prefix)
            result.addFault(.wrongSizes, if: result.plan.patch(new, over: old, at: samples.offset + layout.idLength))
        }

        /// An 80-bit floating-point number: sign and exponent, then a mantissa with an explicit leading bit.
        private static func rate(_ bytes: ArraySlice<UInt8>) -> Int? {
            let exponent = Int(ByteOrder.big.number(bytes.prefix(2)) & 0x7FFF) - 16_383
            guard (0..<32).contains(exponent) else { return nil }
            return Int(ByteOrder.big.number(bytes.dropFirst(2)) >> UInt64(63 - exponent))
        }
    }
}
