/// Encodes samples for an output: passes on the source's own samples if the word length holds them, or else quantises
/// floating point, with dither if the samples were converted. Floating-point encodings get the samples unchanged.
final class SampleEncoder {
    let encoding: SampleEncoding
    private let isDithered: Bool
    private var dither = Dither()
    private let words: UnsafeMutableBufferPointer<Int32>

    /// - Parameter isDithered: Whether to dither converted samples. 32-bit samples never are, since their LSB is below
    ///   the precision of the conversion.
    init(_ encoding: SampleEncoding, isDithered: Bool) {
        self.encoding = encoding
        self.isDithered = isDithered && encoding != .s32
        words = .allocate(capacity: 8192)
        words.initialize(repeating: 0)
    }

    deinit {
        words.deallocate()
    }

    /// Passes on the block's frames, in parts.
    func encode(_ block: AudioBlock, _ body: (EncodedFrames) -> Void) {
        func emit(_ samples: EncodedFrames.Samples) {
            body(EncodedFrames(samples: samples, channelCount: block.channelCount))
        }
        guard let bits = encoding.integerBits else { return emit(.floats(block.samples)) }
        if let exact = block.exactSamples, block.exactBits <= bits { return emit(.integers(exact)) }

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
            emit(.integers(UnsafeBufferPointer(rebasing: words[..<run.count])))
            start = end
        }
    }
}
