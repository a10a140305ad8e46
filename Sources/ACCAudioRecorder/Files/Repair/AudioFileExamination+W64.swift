extension AudioFileExamination {
    /// Examines a Sony Wave64 file, which has 16-byte identifiers and 8-byte sizes.
    struct W64 {
        private(set) var result: AudioFileExamination

        /// The identifier at the beginning of a file.
        static let riff: [UInt8] =
            Array("riff".utf8) + [
                0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00,
            ]
        /// The rest of every other relevant identifier, after its first four letters.
        private static let nameRest: [UInt8] = [0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A]
        /// The offset of the first chunk, after the `riff` identifier, the file size (which counts the whole file) and the
        /// `wave` identifier.
        private static let firstChunk = 40

        init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
            let layout = ChunkLayout.w64
            result = AudioFileExamination(format: "W64", keeping: file.byteCount)
            guard try file.bytes(at: 24, count: 16) == Array("wave".utf8) + Self.nameRest else {
                throw file.hopeless("it is RIFF64, but not WAVE", remedy: "Only audio files can be repaired.")
            }
            var last: ChunkLayout.Chunk?
            var offset = Self.firstChunk
            var format: WAV.Format?
            while let chunk = try layout.chunk(at: offset, in: file) {
                switch chunk.name {
                case "fmt " where chunk.nameRest == Self.nameRest:
                    format = WAV.Format(
                        try file.bytes(at: chunk.content, count: min(chunk.byteCount, WAV.Format.longest)))
                case "data" where chunk.nameRest == Self.nameRest:
                    guard let format else { break }
                    let extent = try SampleExtent(
                        from: chunk.content, declared: chunk.byteCount, frameSize: format.frameSize, layout: layout,
                        in: file)
                    result.apply(extent)
                    result.sampleRate = format.sampleRate
                    result.frameCount = format.isPacked ? nil : extent.byteCount / format.frameSize
                    try write(UInt64(result.finalByteCount), at: layout.idLength, in: file)
                    try write(
                        UInt64(extent.byteCount + layout.headerLength), at: chunk.offset + layout.idLength, in: file)
                    return
                default: break
                }
                if chunk.isKnown { last = chunk }
                guard let next = try result.place(after: chunk, layout, in: file) else { break }
                offset = next
            }
            throw layout.noSamples(after: last, named: "data", in: file)
        }

        private mutating func write(_ size: UInt64, at offset: Int, in file: AudioFileReader)
            throws(ACCAudioRecorderError)
        {
            let old = try file.bytes(at: offset, count: 8)
            let isWrong = result.plan.patch(ByteOrder.little.bytes(size, count: 8), over: old, at: offset)
            result.addFault(.wrongSizes, if: isWrong)
        }
    }
}
