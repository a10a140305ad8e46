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

// MARK: - Chunks and their sizes

extension AudioFileExamination {
    /// The size of the repaired file in bytes, without a trailer.
    var finalByteCount: Int {
        plan.keptByteCount + (plan.insertion?.bytes.count ?? 0) + plan.tail.count - trailerByteCount
    }

    /// The offset of the chunk after this one, which precedes the samples; nil if its size is too large. Padding that it
    /// lacks is inserted, because most readers do not find the next chunk otherwise, and counted as content, because SoX
    /// expects none behind a format chunk.
    mutating func place(
        after chunk: ChunkLayout.Chunk, _ layout: ChunkLayout, in file: AudioFileReader
    ) throws(ACCAudioRecorderError) -> Int? {
        guard let next = try layout.next(after: chunk, in: file) else { return nil }
        let missing = chunk.content + chunk.byteCount + layout.padding(of: chunk.byteCount, from: chunk.content) - next
        guard missing > 0 else { return next }
        guard plan.insertion == nil else {
            throw file.hopeless(
                "several chunks before its samples lack padding",
                remedy: "Import it as raw samples if you know their format.")
        }
        plan.insertion = .init(offset: next, bytes: [UInt8](repeating: 0, count: missing))
        let (old, new) = (layout.size(of: chunk.byteCount), layout.size(of: chunk.byteCount + missing))
        addFault(.noPadding, if: plan.patch(new, over: old, at: chunk.offset + layout.idLength))
        return next
    }

    /// Keeps the part of the file that the extent of its samples determines.
    mutating func apply(_ extent: SampleExtent) {
        plan.keptByteCount = extent.keptByteCount
        trailerByteCount = extent.trailerByteCount
        plan.tail = [UInt8](repeating: 0, count: extent.missingPadding)
        addFault(.cutOff(byteCount: extent.restByteCount), if: extent.restByteCount > 0)
        addFault(.noPadding, if: extent.missingPadding > 0 && extent.restByteCount == 0)
    }
}
