/// Converts one stretch of consecutive source frames to a sample rate and channel count: mixes, then resamples.
///
/// If neither differs, blocks pass through unchanged, bit for bit.
struct FrameConverter: ~Copyable {
    private var mixer: ChannelMixer?
    private var resampler: Resampler?
    /// The block appended last, until it is returned; only used without a resampler.
    private var block: AudioBlock?
    private let initialRemainder: Double

    /// - Parameters:
    ///   - maximumFrames: The length of the longest block, in frames.
    ///   - remainder: The value that `finish` of the previous stretch returned; 0 for the first.
    init(
        from source: StreamFormat, to output: StreamFormat, quality: ResamplerQuality, maximumFrames: Int,
        remainder: Double = 0
    ) throws(ACCAudioRecorderError) {
        initialRemainder = remainder
        mixer =
            source.channelCount == output.channelCount
            ? nil : ChannelMixer(from: source.channelMap, to: output.channelMap, maximumFrames: maximumFrames)
        resampler =
            source.sampleRate == output.sampleRate
            ? nil
            : try Resampler(
                from: source.sampleRate, to: output.sampleRate, channelCount: output.channelCount, quality: quality,
                blockFrames: maximumFrames * output.sampleRate / source.sampleRate + 64, remainder: remainder)
    }

    /// Appends a block. Call `next` until it returns nil before appending another.
    mutating func append(_ block: AudioBlock) {
        let mixed = mixer?.mix(block) ?? block
        if resampler == nil {
            self.block = mixed
        } else {
            resampler?.append(mixed)
        }
    }

    /// Ends the stretch. Call `next` until it returns nil for what the resampler still holds.
    ///
    /// - Returns: The fraction of an output frame left over by rounding, for the next stretch.
    mutating func finish() -> Double {
        resampler?.finish() ?? initialRemainder
    }

    /// The next block of output, valid until the next call; nil if more input is needed.
    mutating func next() throws(ACCAudioRecorderError) -> AudioBlock? {
        try resampler == nil ? block.take() : resampler?.next()
    }
}
