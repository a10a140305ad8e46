/// Looks at a Core Audio Format file. A size of -1 stands for samples to the end of the file; it is mended all the same,
/// for not every reader knows that.
struct CAFExamination {
    private(set) var result: AudioFileExamination

    init(_ file: AudioFileReader) throws(ACCAudioRecorderError) {
        let layout = ChunkLayout.caf
        result = AudioFileExamination(format: "CAF", keeping: file.byteCount)
        var offset = 8
        var frameSize = 0
        while let chunk = try layout.chunk(at: offset, in: file) {
            switch chunk.name {
            case "desc":
                let bytes = try file.bytes(at: chunk.content, count: 32)
                guard bytes.count == 32 else { break }
                let rate = Double(bitPattern: layout.order.number(bytes[..<8]))
                result.sampleRate = Int(exactly: rate.rounded())
                // Bytes and frames of a packet: 1 frame where samples are not compressed.
                guard layout.order.number(bytes[20..<24]) == 1 else {
                    throw file.hopeless("its samples are compressed", remedy: "That is not known here.")
                }
                frameSize = Int(layout.order.number(bytes[16..<20]))
            case "data" where frameSize > 0:
                // Before the samples is how often they were edited.
                let extent = try SampleChunkExtent(
                    from: chunk.content + 4, declared: max(chunk.byteCount - 4, 0), frameSize: frameSize,
                    layout: layout, in: file)
                result.take(extent)
                result.frameCount = extent.byteCount / frameSize
                let place = chunk.offset + layout.idLength
                let old = try file.bytes(at: place, count: layout.sizeLength)
                let new = layout.size(of: extent.byteCount + 4)
                result.note(.wrongSizes, if: result.mending.patch(new, over: old, at: place))
                return
            default: break
            }
            guard let next = layout.end(of: chunk.byteCount, from: chunk.content) else { break }
            offset = next
        }
        throw file.hopeless("it does not say what its samples are, or has none", remedy: "There is no sound in it.")
    }
}
