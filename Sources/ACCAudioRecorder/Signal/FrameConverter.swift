/// One stretch of source frames on its way to one rate and channel count: mixed, then resampled.
///
/// Where neither differs the block passes as it is, bit for bit.
struct FrameConverter: ~Copyable {
    private var mixer: ChannelMixer?
    private var resampler: Resampler?

    /// - Parameter maximumFrames: The longest block that will come.
    init(
        from source: SampleSpec, toRate rate: Int, channels: Int, quality: ResamplerQuality, maximumFrames: Int
    ) throws(ACCAudioRecorderError) {
        mixer =
            source.channelCount == channels
            ? nil : ChannelMixer(from: source.channelCount, to: channels, maximumFrames: maximumFrames)
        resampler =
            source.sampleRate == rate
            ? nil
            : try Resampler(
                from: source.sampleRate, to: rate, channelCount: channels, quality: quality,
                blockFrames: maximumFrames * rate / source.sampleRate + 64)
    }

    /// Hands on what came out of the block, in blocks that are valid during the call.
    mutating func convert(_ block: AudioBlock, _ emit: (AudioBlock) -> Void) throws(ACCAudioRecorderError) {
        let mixed = mixer?.mix(block) ?? block
        if resampler == nil {
            emit(mixed)
        } else {
            try resampler?.convert(mixed, emit)
        }
    }

    /// Hands on what is still held at the end of the stretch.
    mutating func flush(_ emit: (AudioBlock) -> Void) throws(ACCAudioRecorderError) {
        try resampler?.flush(emit)
    }
}
