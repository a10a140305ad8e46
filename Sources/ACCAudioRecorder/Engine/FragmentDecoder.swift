/// Turns the bytes of fragments into blocks of the channels that are recorded.
///
/// Blocks are short, so that what has been decoded is still in the processor's cache when the last of those who take it
/// does: with 32 channels a whole fragment of 40 ms would take half a MiB.
struct FragmentDecoder: ~Copyable {
    /// Frames in a block, at most.
    let maximumFrames: Int
    private let bytesPerFrame: Int
    private let decoder: SampleDecoder
    private let selector: ChannelSelector?

    /// Samples in a block, at most.
    private static let maximumSamples = 8192

    /// - Parameters:
    ///   - spec: The source's.
    ///   - selectedChannels: Those that are recorded, counted from 1; empty for all.
    init(_ spec: SampleSpec, selectedChannels: [Int]) {
        maximumFrames = max(Self.maximumSamples / spec.channelCount, 1)
        bytesPerFrame = spec.bytesPerFrame
        decoder = SampleDecoder(spec: spec, maximumFrames: maximumFrames)
        selector =
            selectedChannels.isEmpty ? nil : ChannelSelector(selectedChannels, maximumFrames: maximumFrames)
    }

    /// Decodes some frames of a fragment.
    ///
    /// - Parameter take: Gets each block, which is valid during the call.
    func decode(
        _ frames: Range<Int>, of fragment: UnsafeRawBufferPointer,
        _ take: (AudioBlock) throws(ACCAudioRecorderError) -> Void
    ) throws(ACCAudioRecorderError) {
        for first in stride(from: frames.lowerBound, to: frames.upperBound, by: maximumFrames) {
            let end = min(first + maximumFrames, frames.upperBound)
            let bytes = UnsafeRawBufferPointer(rebasing: fragment[first * bytesPerFrame..<end * bytesPerFrame])
            let block = decoder.decode(bytes)
            try take(selector?.select(block) ?? block)
        }
    }
}
