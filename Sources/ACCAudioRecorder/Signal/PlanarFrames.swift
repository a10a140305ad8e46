/// Consecutive frames in memory, with the samples of each channel side by side. Valid for the length of a call.
struct PlanarFrames {
    /// The first channel's sample of the first frame.
    let base: UnsafePointer<Float>
    /// The distance from a channel to the next one, in samples.
    let stride: Int
    let channelCount: Int
    let frameCount: Int
    /// How many frames before the first one can be read; zeros before the beginning.
    let history: Int

    /// The samples of a channel, from index `-history` up to `frameCount`.
    func samples(of channel: Int) -> UnsafePointer<Float> { base + channel * stride }

    /// Some of the frames.
    func part(from first: Int, count: Int) -> PlanarFrames {
        PlanarFrames(
            base: base + first, stride: stride, channelCount: channelCount, frameCount: count, history: history + first)
    }
}
