/// Where the samples of a file made of chunks really end, and the file with them.
struct SampleChunkExtent {
    /// Whole frames of them, in bytes.
    let byteCount: Int
    /// What is kept of the file, in bytes.
    let keptByteCount: Int
    /// How many bytes at the end of the file belong to nothing: a part of a frame, or of a chunk.
    let restByteCount: Int
    /// How many bytes are missing at the end, for the samples to be aligned.
    let missingPadding: Int

    /// Goes by the size that the samples have by the file's own word where chunks follow them, or nothing does. Otherwise
    /// that word is one of a recorder that did not come to its end, and the samples go on to the end of the file.
    ///
    /// - Parameters:
    ///   - content: Where the first sample is.
    ///   - declared: Their size by the file's own word, in bytes.
    ///   - frameSize: In bytes, more than 0.
    init(
        from content: Int, declared: Int, frameSize: Int, layout: ChunkLayout, in file: AudioFileReader
    ) throws(ACCAudioRecorderError) {
        let available = file.byteCount - content
        guard available >= 0 else {
            throw file.hopeless("it ends before its samples begin", remedy: "There is no sound in it.")
        }
        if declared < available, let next = layout.end(of: declared, from: content), next < file.byteCount,
            let end = try layout.endOfChunks(from: next, in: file)
        {
            byteCount = declared
            keptByteCount = end
            restByteCount = file.byteCount - end
            missingPadding = 0
            return
        }
        // What is there of the padding may be told from samples only where the file's word is true.
        let padding = layout.padding(of: declared, from: content)
        let isPadded = declared <= available && available - declared <= padding
        let samples = isPadded ? declared : available
        restByteCount = samples % frameSize
        byteCount = samples - restByteCount
        if restByteCount == 0, isPadded {
            keptByteCount = file.byteCount
            missingPadding = padding - (available - declared)
        } else {
            keptByteCount = content + byteCount
            missingPadding = layout.padding(of: byteCount, from: content)
        }
    }
}
