/// Decodes fragments into blocks of the recorded channels.
///
/// Samples that are not finite would corrupt everything downstream: filters, encoders and sums. They are replaced here
/// and counted: NaN by silence, infinity by full scale. A magnitude of 2^48 (289 dBFS) or more counts as infinite, so
/// that sums of squares stay finite in single precision.
///
/// Blocks are short, so that decoded samples stay in the processor's cache until their last use: a whole 40 ms fragment
/// of 32 channels would take half a MiB.
struct FragmentDecoder: ~Copyable {
    /// The maximum number of frames in a block.
    let maximumFrames: Int
    private let bytesPerFrame: Int
    /// The number of samples of the recorded channels replaced so far.
    private(set) var replacedCount = 0
    private let mayBeNonFinite: Bool
    private let decoder: SampleDecoder
    private let selector: ChannelSelector?

    /// The maximum number of samples in a block.
    static let maximumSamples = 8192
    /// The magnitude at and above which a sample counts as infinite.
    private static let infiniteMagnitude: Float = 0x1p48

    /// - Parameters:
    ///   - spec: The source's sample spec.
    ///   - selectedChannels: The channels to record, counted from 1; empty for all.
    init(_ spec: SampleSpec, selectedChannels: [Int]) {
        maximumFrames = max(Self.maximumSamples / spec.channels, 1)
        bytesPerFrame = spec.bytesPerFrame
        mayBeNonFinite = spec.format.integerBits == nil
        decoder = SampleDecoder(spec: spec, maximumFrames: maximumFrames)
        selector =
            selectedChannels.isEmpty ? nil : ChannelSelector(selectedChannels, maximumFrames: maximumFrames)
    }

    /// Decodes the first of these frames of a fragment, as many as fit into a block, and removes them from the range.
    ///
    /// - Returns: The block, valid until the next call.
    mutating func decode(_ frames: inout Range<Int>, of fragment: UnsafeRawBufferPointer) -> AudioBlock {
        let end = min(frames.lowerBound + maximumFrames, frames.upperBound)
        let bytes = UnsafeRawBufferPointer(
            rebasing: fragment[frames.lowerBound * bytesPerFrame..<end * bytesPerFrame])
        frames = end..<frames.upperBound
        let decoded = decoder.decode(bytes)
        let block = selector?.select(decoded) ?? decoded
        if mayBeNonFinite { replaceNonFinite(in: block) }
        return block
    }

    private mutating func replaceNonFinite(in block: AudioBlock) {
        // Without an early exit, so that it is vectorised. NaN is not less than anything.
        var isAnyInfinite: UInt32 = 0
        for sample in block.samples { isAnyInfinite |= abs(sample) < Self.infiniteMagnitude ? 0 : 1 }
        guard isAnyInfinite != 0 else { return }
        // The memory belongs to the decoder or the selector, so it may be changed.
        let samples = UnsafeMutableBufferPointer(mutating: block.samples)
        for index in samples.indices where !(abs(samples[index]) < Self.infiniteMagnitude) {
            samples[index] = samples[index].isNaN ? 0 : samples[index] < 0 ? -1 : 1
            replacedCount += 1
        }
    }
}

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
