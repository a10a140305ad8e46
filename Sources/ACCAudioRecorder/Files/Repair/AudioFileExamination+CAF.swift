extension AudioFileExamination {
    /// Examines a Core Audio Format file. A size of -1 means samples up to the end of the file. It is corrected all the
    /// same, because not every reader supports it.
    struct CAF {
        private(set) var result: AudioFileExamination

        init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
            let layout = ChunkLayout.caf
            result = AudioFileExamination(format: "CAF", keeping: file.byteCount)
            var last: ChunkLayout.Chunk?
            var offset = 8
            var frameSize = 0
            while let chunk = try layout.chunk(at: offset, in: file) {
                switch chunk.name {
                case "desc":
                    let bytes = try file.bytes(at: chunk.content, count: 32)
                    guard bytes.count == 32 else { break }
                    let rate = Double(bitPattern: layout.order.number(bytes[..<8]))
                    guard let sampleRate = Int(exactly: rate.rounded()), sampleRate > 0 else { break }
                    result.sampleRate = sampleRate
                    guard ["lpcm", "alaw", "ulaw"].contains(String(decoding: bytes[8..<12], as: UTF8.self)) else {
                        throw file.hopeless("its samples are compressed", remedy: "That compression is not supported.")
                    }
                    // Bytes and frames per packet: 1 frame if samples are not compressed.
                    guard layout.order.number(bytes[20..<24]) == 1 else {
                        throw file.hopeless("its samples are compressed", remedy: "That compression is not supported.")
                    }
                    let channels = Int(layout.order.number(bytes[24..<28]))
                    let bits = Int(layout.order.number(bytes[28..<32]))
                    let size = Int(layout.order.number(bytes[16..<20]))
                    // A sample may take more bytes than it needs.
                    guard ChunkLayout.channelCounts.contains(channels), (1...64).contains(bits), size % channels == 0,
                        ((bits + 7) / 8...8).contains(size / channels)
                    else { break }
                    frameSize = size
                case "data" where frameSize > 0:
                    // The samples follow an edit count.
                    let extent = try SampleExtent(
                        from: chunk.content + 4, declared: max(chunk.byteCount - 4, 0), frameSize: frameSize,
                        layout: layout, in: file)
                    result.apply(extent)
                    result.frameCount = extent.byteCount / frameSize
                    let place = chunk.offset + layout.idLength
                    let old = try file.bytes(at: place, count: layout.sizeLength)
                    let new = layout.size(of: extent.byteCount + 4)
                    result.addFault(.wrongSizes, if: result.plan.patch(new, over: old, at: place))
                    return
                default: break
                }
                if chunk.isKnown { last = chunk }
                guard let next = try result.place(after: chunk, layout, in: file) else { break }
                offset = next
            }
            throw layout.noSamples(after: last, named: "data", in: file)
        }
    }
}
