/// Changes the number of channels by a matrix of gains.
///
/// - To one channel: the mean of all, which cannot clip.
/// - From one channel: a copy in each.
/// - To more channels: the source's in their order, silence in the others.
/// - To fewer: each output is the mean of every source channel that folds onto it, in turn (with 4 to 2,
///   the first is the mean of 1 and 3, the second of 2 and 4).
struct ChannelMixer: ~Copyable {
    /// Row by output channel, column by source channel.
    let gains: [Float]
    private let sourceCount: Int
    private let outputCount: Int
    private let mixed: UnsafeMutableBufferPointer<Float>

    /// - Parameter maximumFrames: The longest block that will come.
    init(from sourceCount: Int, to outputCount: Int, maximumFrames: Int) {
        self.sourceCount = sourceCount
        self.outputCount = outputCount
        gains = Self.gains(from: sourceCount, to: outputCount)
        mixed = .allocate(capacity: maximumFrames * outputCount)
        mixed.initialize(repeating: 0)
    }

    deinit {
        mixed.deallocate()
    }

    static func gains(from sourceCount: Int, to outputCount: Int) -> [Float] {
        var gains = [Float](repeating: 0, count: sourceCount * outputCount)
        if sourceCount == 1 { return gains.map { _ in 1 } }
        for source in 0..<sourceCount {
            let output = source % outputCount
            let sharing = (sourceCount - output + outputCount - 1) / outputCount
            gains[output * sourceCount + source] = 1 / Float(sharing)
        }
        return gains
    }

    /// The block in the new channel count, valid until the next call.
    func mix(_ block: AudioBlock) -> AudioBlock {
        let frames = block.frameCount
        let samples = block.samples
        gains.withUnsafeBufferPointer { gains in
            for frame in 0..<frames {
                let first = frame * sourceCount
                for output in 0..<outputCount {
                    var sum: Float = 0
                    for source in 0..<sourceCount {
                        sum += samples[first + source] * gains[output * sourceCount + source]
                    }
                    mixed[frame * outputCount + output] = sum
                }
            }
        }
        return AudioBlock(
            samples: UnsafeBufferPointer(rebasing: mixed[..<(frames * outputCount)]), exactSamples: nil,
            isConverted: true, channelCount: outputCount)
    }
}
