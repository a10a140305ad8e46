/// One stretch of source frames on its way to one rate and channel count: mixed, then resampled.
///
/// Where neither differs the block passes as it is, bit for bit.
struct FrameConverter: ~Copyable {
    private var mixer: ChannelMixer?
    private var resampler: Resampler?

    /// - Parameter maximumFrames: The longest block that will come.
    init(
        from source: FrameForm, to output: FrameForm, quality: ResamplerQuality, maximumFrames: Int
    ) throws(ACCAudioRecorderError) {
        mixer =
            source.channelCount == output.channelCount
            ? nil : ChannelMixer(from: source.channelMap, to: output.channelMap, maximumFrames: maximumFrames)
        resampler =
            source.sampleRate == output.sampleRate
            ? nil
            : try Resampler(
                from: source.sampleRate, to: output.sampleRate, channelCount: output.channelCount, quality: quality,
                blockFrames: maximumFrames * output.sampleRate / source.sampleRate + 64)
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
