/// An upper bound of a file's size, for files with a size limit.
///
/// What has been written is known. What is still in a queue or an encoder is counted as the largest size that it can
/// have.
struct FileSizeBound {
    /// The maximum size of a frame in bytes.
    private let frameSize: Double
    /// The maximum number of frames that an encoder holds back, if it does not say how many.
    private let heldFrames: Int
    /// The maximum number of bytes other than frames written at the end of a file.
    private let endSize: Int
    /// The maximum size of everything before the frames, until that is written.
    private let headerSize: Int

    init(_ resolved: ResolvedOutput) {
        let (output, form) = (resolved.output, resolved.form)
        let (channels, rate) = (Double(form.channelCount), Double(form.sampleRate))
        let sampleSize = channels * Double(resolved.encoding.bytesPerSample)
        let tagSize = output.tagByteCount + (TrackList(resolved.namedChannels)?.largestSize ?? 0)
        let growth = output.container.traits.growth
        switch growth {
        case .samples(let alignment) where alignment > 1:
            headerSize = (tagSize + 2_048 + alignment - 1) / alignment * alignment
        // The tags are padded to about twice their size.
        case .opus: headerSize = 4_096 + 2 * tagSize
        case .samples, .flac, .mp3, .vorbis: headerSize = 4_096 + tagSize
        }
        switch growth {
        case .samples:
            // A pad byte.
            (frameSize, heldFrames, endSize) = (sampleSize, 0, 1)
        case .flac:
            // Blocks of 1152 or 4096 frames, at worst stored uncompressed with a header.
            let blockHeader = 20 + 2 * form.channelCount
            (frameSize, heldFrames, endSize) = (sampleSize + Double(blockHeader) / 1_152, 0, blockHeader)
        case .mp3:
            // The highest bit rate, and what LAME holds back: some frames, a bit reservoir, and a tag.
            let bitRates = output.container.bitRates(of: form)
            let bitRate = if case .bitRate(let rate)? = output.compression { rate } else { bitRates.last ?? 320 }
            (frameSize, heldFrames, endSize) = (Double(bitRate) * 125 / rate, 4 * 1_152, 2_048)
        case .opus:
            // RFC 6716, 3.2.1: 1275 bytes per 20 ms of a stream, which has at most two channels. A page has 250 ms.
            let streams = form.channelCount > 2 ? channels : 1
            (frameSize, heldFrames, endSize) = ((1_275 * streams + 32) / (0.02 * rate), form.frames(in: 0.35), 1_024)
        case .vorbis:
            // White noise at full scale takes 6 bits per sample at the highest quality. Two blocks are held back, and
            // pages of 4 KiB are collected.
            (frameSize, heldFrames, endSize) = (1.25 * channels, form.sampleRate > 48_000 ? 8_192 : 4_096, 5_120)
        }
    }

    /// The number of further frames that certainly fit into a file of this size.
    ///
    /// - Parameters:
    ///   - progress: The progress of the file; nil before its first frame.
    ///   - frameCount: The number of frames passed to it.
    func framesFitting(in size: Int, _ progress: Progress?, frameCount: Int) -> Int {
        let written = progress.map { max($0.frameCount - heldFrames, 0) } ?? 0
        let room = size - (progress?.byteCount ?? headerSize) - endSize
        return Int(min(Double(room) / frameSize, 0x1p40).rounded(.down)) - max(frameCount - written, 0)
    }
}

extension FileSizeBound {
    /// The progress of an output's current file, published by its thread.
    struct Progress {
        /// The number of cuts before it, including those that failed.
        var cutCount = 0
        /// The number of frames in it, as far as known.
        var frameCount = 0
        /// The size in bytes.
        var byteCount = 0
    }
}
