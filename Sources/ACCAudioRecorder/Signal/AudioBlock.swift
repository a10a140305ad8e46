/// A run of interleaved frames on its way through the engine, valid during the call it is handed to.
struct AudioBlock {
    /// Samples, full scale at ±1.
    var samples: UnsafeBufferPointer<Float>
    /// The same samples bit for bit as the source had them, left-justified in 32 bits: only where nothing
    /// was converted and the source's samples are integers.
    var exactSamples: UnsafeBufferPointer<Int32>?
    /// The word length of the exact samples.
    var exactBits = 0
    /// Whether the samples were mixed or resampled, and so have lost the source's word length.
    var isConverted = false
    /// Samples in a frame.
    let channelCount: Int

    /// Frames in the block.
    var frameCount: Int { samples.count / channelCount }

    /// The first `frames` frames, or all where there are fewer.
    func prefix(_ frames: Int) -> AudioBlock {
        part(from: 0, frames: frames)
    }

    /// So many frames from this one on, or all that are left where there are fewer.
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
