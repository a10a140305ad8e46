/// Changes the channel count with a matrix of gains.
struct ChannelMixer: ~Copyable {
    private let matrix: ChannelMatrix
    private let sourceCount: Int
    private let outputCount: Int
    private let mixed: UnsafeMutableBufferPointer<Float>

    /// - Parameter maximumFrames: The length of the longest block, in frames.
    init(from source: ChannelMap, to output: ChannelMap, maximumFrames: Int) {
        matrix = ChannelMatrix(from: source, to: output)
        sourceCount = source.channelCount
        outputCount = output.channelCount
        mixed = .allocate(capacity: maximumFrames * outputCount)
        mixed.initialize(repeating: 0)
    }

    deinit {
        mixed.deallocate()
    }

    /// The mixed block, valid until the next call.
    func mix(_ block: AudioBlock) -> AudioBlock {
        let frames = block.frameCount
        let samples = block.samples
        matrix.gains.withUnsafeBufferPointer { gains in
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
