/// A block of interleaved frames that passes through the engine; valid during the call that receives it.
struct AudioBlock {
    /// The samples, full scale at ±1.
    var samples: UnsafeBufferPointer<Float>
    /// The same samples exactly as the source delivered them, left-justified in 32 bits; only if nothing was converted
    /// and the source's samples are integers.
    var exactSamples: UnsafeBufferPointer<Int32>?
    /// The word length of the exact samples in bits.
    var exactBits = 0
    /// Whether the samples were mixed or resampled, and so no longer have the source's word length.
    var isConverted = false
    /// Samples per frame.
    let channelCount: Int

    /// Frames in the block.
    var frameCount: Int { samples.count / channelCount }

    /// The first `frames` frames, or all if there are fewer.
    func prefix(_ frames: Int) -> AudioBlock {
        part(from: 0, frames: frames)
    }

    /// `frames` frames starting at `first`, or all that remain if there are fewer.
    func part(from first: Int, frames: Int) -> AudioBlock {
        let length = min(max(frames, 0), frameCount - first)
        guard length < frameCount else { return self }
        let range = first * channelCount..<(first + length) * channelCount
        return AudioBlock(
            samples: UnsafeBufferPointer(rebasing: samples[range]),
            exactSamples: exactSamples.map { UnsafeBufferPointer(rebasing: $0[range]) }, exactBits: exactBits,
            isConverted: isConverted, channelCount: channelCount)
    }
}
