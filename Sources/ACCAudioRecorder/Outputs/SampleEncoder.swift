/// Gives an output its samples in its encoding: the source's own where the word length holds them, otherwise
/// quantised from floating point, with dither where they have been converted; or floating point as it is.
final class SampleEncoder {
    let encoding: SampleEncoding
    private let isDithered: Bool
    private var dither = Dither()
    private let words: UnsafeMutableBufferPointer<Int32>

    /// - Parameter isDithered: Whether converted samples are dithered. Those of 32 bits never are: the steps are
    ///   finer than what the conversion works with.
    init(_ encoding: SampleEncoding, isDithered: Bool) {
        self.encoding = encoding
        self.isDithered = isDithered && encoding != .s32
        words = .allocate(capacity: 8192)
        words.initialize(repeating: 0)
    }

    deinit {
        words.deallocate()
    }

    /// Hands on the block's samples, in runs of whole frames.
    ///
    /// - Parameters:
    ///   - integers: Takes them where the encoding is one of integers, left-justified in 32 bits.
    ///   - floats: Takes them where it is floating point.
    func encode<Failure: Error>(
        _ block: AudioBlock,
        integers: (UnsafeBufferPointer<Int32>) throws(Failure) -> Void,
        floats: (UnsafeBufferPointer<Float>) throws(Failure) -> Void
    ) throws(Failure) {
        guard let bits = encoding.integerBits else { return try floats(block.samples) }
        if let exact = block.exactSamples, block.exactBits <= bits { return try integers(exact) }

        let runLength = words.count / block.channelCount * block.channelCount
        var start = 0
        while start < block.samples.count {
            let end = min(start + runLength, block.samples.count)
            let run = UnsafeBufferPointer(rebasing: block.samples[start..<end])
            if isDithered, block.isConverted {
                Quantizer.quantize(run, bits: bits, dither: &dither, into: words)
            } else {
                Quantizer.quantize(run, bits: bits, into: words)
            }
            try integers(UnsafeBufferPointer(rebasing: words[..<run.count]))
            start = end
        }
    }
}
