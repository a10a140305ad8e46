extension AudioFileExamination {
    /// The real end of the samples in a file made of chunks, and of the file.
    struct SampleExtent {
        /// The size of the whole frames in bytes.
        let byteCount: Int
        /// The number of bytes to keep of the file.
        let keptByteCount: Int
        /// The number of bytes at the end of the file that belong to an incomplete frame or chunk.
        let restByteCount: Int
        /// The number of bytes at the end of the file that are not part of the format, such as a player's tag.
        let trailerByteCount: Int
        /// The number of missing pad bytes after the samples.
        let missingPadding: Int
        /// Whether the stated size of the samples is right.
        let isAsDeclared: Bool

        /// Uses the stated size of the samples if they are followed by chunks, by nothing, or by something other than audio
        /// (a tag, or zeros up to the end of the file). Otherwise the recorder did not finish the file, and the samples
        /// extend to its end.
        ///
        /// - Parameters:
        ///   - content: The offset of the first sample.
        ///   - declared: The stated size in bytes.
        ///   - frameSize: The size of a frame in bytes, above 0.
        ///   - total: The stated size of the whole file; nil if the format states none.
        init(
            from content: Int, declared: Int, frameSize: Int, total: Int? = nil, layout: ChunkLayout,
            in file: AudioFileReader
        ) throws(ACCAudioRecorderError) {
            let available = file.byteCount - content
            guard available >= 0 else {
                throw file.hopeless("it ends before the first sample", remedy: "There is no audio to recover.")
            }
            let padding = layout.padding(of: declared, from: content)
            if declared < available, available - declared > padding,
                let end = try layout.end(of: declared, from: content, total: total, followedIn: file)
            {
                let hasTrailer = try file.hasTrailer(at: end)
                let isTrailed = end == total || hasTrailer
                (byteCount, isAsDeclared) = (declared, true)
                trailerByteCount = isTrailed ? file.byteCount - end : 0
                restByteCount = isTrailed ? 0 : file.byteCount - end
                keptByteCount = file.byteCount - restByteCount
                // What followed directly is cut off.
                let isLast = restByteCount > 0 && end == content + declared
                missingPadding = isLast && layout.padsLastChunk ? padding : 0
                return
            }
            // Pad bytes can only be distinguished from samples if the stated size is right.
            let isPadded = declared <= available && available - declared <= padding
            trailerByteCount = 0
            let samples = isPadded ? declared : available
            // What is complete by its own header is left alone, even where its blocks have other sizes than it states.
            restByteCount = isPadded && declared > 0 ? 0 : samples % frameSize
            byteCount = samples - restByteCount
            isAsDeclared = isPadded && byteCount == declared
            guard byteCount > 0 || samples == 0 else {
                throw file.hopeless("it has less than one frame of samples", remedy: "There is no audio to recover.")
            }
            let missing: Int
            if restByteCount == 0, isPadded {
                keptByteCount = file.byteCount
                missing = padding - (available - declared)
            } else {
                keptByteCount = content + byteCount
                missing = layout.padding(of: byteCount, from: content)
            }
            missingPadding = layout.padsLastChunk ? missing : 0
        }
    }
}
