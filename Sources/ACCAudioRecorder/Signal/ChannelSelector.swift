/// Selects channels of a frame, in any order, bit for bit.
struct ChannelSelector: ~Copyable {
    /// The index of the source channel for each channel of the result.
    private let channels: [Int]
    private let samples: UnsafeMutableBufferPointer<Float>
    private let exactSamples: UnsafeMutableBufferPointer<Int32>

    /// - Parameters:
    ///   - numbers: Channels of the source, counted from 1.
    ///   - maximumFrames: The length of the longest block, in frames.
    init(_ numbers: [Int], maximumFrames: Int) {
        channels = numbers.map { $0 - 1 }
        samples = .allocate(capacity: maximumFrames * channels.count)
        samples.initialize(repeating: 0)
        exactSamples = .allocate(capacity: samples.count)
        exactSamples.initialize(repeating: 0)
    }

    deinit {
        samples.deallocate()
        exactSamples.deallocate()
    }

    /// The block with the selected channels only, valid until the next call.
    func select(_ block: AudioBlock) -> AudioBlock {
        let count = block.frameCount * channels.count
        pick(from: block.samples, into: samples, stride: block.channelCount)
        if let exact = block.exactSamples { pick(from: exact, into: exactSamples, stride: block.channelCount) }
        return AudioBlock(
            samples: UnsafeBufferPointer(rebasing: samples[..<count]),
            exactSamples: block.exactSamples.map { _ in UnsafeBufferPointer(rebasing: exactSamples[..<count]) },
            exactBits: block.exactBits, isConverted: block.isConverted, channelCount: channels.count)
    }

    @inline(__always)
    private func pick<Sample>(
        from source: UnsafeBufferPointer<Sample>, into picked: UnsafeMutableBufferPointer<Sample>, stride: Int
    ) {
        let frames = source.count / stride
        for (column, channel) in channels.enumerated() {
            for frame in 0..<frames { picked[frame * channels.count + column] = source[frame * stride + channel] }
        }
    }
}
