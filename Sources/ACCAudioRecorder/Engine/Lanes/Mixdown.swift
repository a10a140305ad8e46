/// Makes the channels of an output from the lanes of a timeline.
struct Mixdown: ~Copyable {
    /// Which channels an output has.
    enum Layout: Equatable {
        /// The sum of all lanes, which have one channel count. Floats do not clip. The number of lanes may change.
        case sum
        /// The channels of each lane after those of the lane before.
        case stack
        /// The channels of one lane.
        case lane(Int)

        /// The number of channels of the output, at most 32; nil if lanes of these channel counts do not fit.
        func channelCount(of lanes: [Int]) -> Int? {
            let count: Int
            switch self {
            case .sum:
                guard Set(lanes).count == 1 else { return nil }
                count = lanes[0]
            case .stack: count = lanes.reduce(0, +)
            case .lane(let number):
                guard lanes.indices.contains(number) else { return nil }
                count = lanes[number]
            }
            return StreamFormat.channelCounts.contains(count) ? count : nil
        }
    }

    private let layout: Layout
    /// The number of channels of the output.
    let channelCount: Int
    private let mixed: UnsafeMutableBufferPointer<Float>
    /// By what the samples of each lane are multiplied; nil for none.
    private let gains: [Float]?

    /// Nil if the lanes do not fit the layout.
    ///
    /// - Parameters:
    ///   - channelCounts: Those of the lanes.
    ///   - gains: By what the samples of each lane are multiplied; empty for none.
    ///   - maximumFrames: The length of the longest block, in frames.
    init?(_ layout: Layout, of channelCounts: [Int], gains: [Float] = [], maximumFrames: Int) {
        guard let channelCount = layout.channelCount(of: channelCounts) else { return nil }
        self.channelCount = channelCount
        self.layout = layout
        self.gains = gains.contains { $0 != 1 } ? gains : nil
        mixed = .allocate(capacity: maximumFrames * channelCount)
        mixed.initialize(repeating: 0)
    }

    deinit {
        mixed.deallocate()
    }

    /// The output's block, valid until the next call. A lane that is the whole output passes unchanged, bit for bit.
    ///
    /// - Parameter lanes: Blocks of one length, in the order of the channel counts.
    func mix(_ lanes: [AudioBlock]) -> AudioBlock {
        switch layout {
        case .lane(let number): return lanes[number]
        case .stack where lanes.count == 1 && gains == nil, .sum where lanes.count == 1 && gains == nil: return lanes[0]
        case .stack: stack(lanes)
        case .sum: sum(lanes)
        }
        return AudioBlock(
            samples: UnsafeBufferPointer(rebasing: mixed[..<(lanes[0].frameCount * channelCount)]), exactSamples: nil,
            isConverted: true, channelCount: channelCount)
    }

    private func sum(_ lanes: [AudioBlock]) {
        for (number, block) in lanes.enumerated() {
            let (samples, gain) = (block.samples, gains?[number] ?? 1)
            if number == 0 {
                for index in samples.indices { mixed[index] = samples[index] * gain }
            } else {
                // Not `+=`: the compiler fails on it with the thread sanitiser.
                for index in samples.indices { mixed[index] = mixed[index] + samples[index] * gain }
            }
        }
    }

    private func stack(_ lanes: [AudioBlock]) {
        var first = 0
        for (number, block) in lanes.enumerated() {
            let (samples, count, gain) = (block.samples, block.channelCount, gains?[number] ?? 1)
            for frame in 0..<block.frameCount {
                for channel in 0..<count {
                    mixed[frame * channelCount + first + channel] = samples[frame * count + channel] * gain
                }
            }
            first += count
        }
    }
}
