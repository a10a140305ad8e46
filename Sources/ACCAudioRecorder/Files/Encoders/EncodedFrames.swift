/// Whole frames that an output passes to its container; valid during the call that receives them.
struct EncodedFrames {
    /// Interleaved samples.
    enum Samples {
        /// Left-justified in 32 bits, for integer encodings.
        case integers(UnsafeBufferPointer<Int32>)
        /// Full scale at ±1, for floating-point encodings.
        case floats(UnsafeBufferPointer<Float>)
    }

    let samples: Samples
    let channelCount: Int

    /// The number of samples in all channels.
    var sampleCount: Int {
        switch samples {
        case .integers(let samples): samples.count
        case .floats(let samples): samples.count
        }
    }

    /// The number of frames.
    var count: Int { sampleCount / channelCount }

    /// The first `count` frames, or all if there are fewer.
    func prefix(_ count: Int) -> EncodedFrames { part(0..<min(count, self.count)) }

    /// The frames without the first `count`.
    func dropFirst(_ count: Int) -> EncodedFrames { part(min(count, self.count)..<self.count) }

    private func part(_ frames: Range<Int>) -> EncodedFrames {
        let range = frames.lowerBound * channelCount..<frames.upperBound * channelCount
        let part: Samples =
            switch samples {
            case .integers(let samples): .integers(UnsafeBufferPointer(rebasing: samples[range]))
            case .floats(let samples): .floats(UnsafeBufferPointer(rebasing: samples[range]))
            }
        return EncodedFrames(samples: part, channelCount: channelCount)
    }
}

extension EncodedFrames {
    /// The in-memory format of an output's samples before its container encodes them.
    struct Form: Sendable, Hashable {
        enum SampleKind: Sendable {
            /// Integers, left-justified in 32 bits.
            case integer
            /// 32-bit floating point, full scale at ±1.
            case float
        }

        let kind: SampleKind
        let channelCount: Int

        init(_ encoding: SampleEncoding, channelCount: Int) {
            kind = encoding.integerBits == nil ? .float : .integer
            self.channelCount = channelCount
        }

        /// The size of a frame in memory.
        var bytesPerFrame: Int {
            let bytesPerSample =
                switch kind {
                case .integer: MemoryLayout<Int32>.size
                case .float: MemoryLayout<Float>.size
                }
            return bytesPerSample * channelCount
        }
    }

    /// A buffer of encoded frames that wait for the thread of an output.
    ///
    /// `@unchecked Sendable`: it has one user at a time, and is handed over through the queue's lock.
    final class Chunk: @unchecked Sendable {
        private enum Memory {
            case integers(UnsafeMutableBufferPointer<Int32>)
            case floats(UnsafeMutableBufferPointer<Float>)
        }

        private let memory: Memory
        private let channelCount: Int
        private let capacity: Int
        private(set) var frameCount = 0

        /// - Parameter capacity: The capacity in frames. Physical memory is used only as it is filled.
        init(_ form: EncodedFrames.Form, capacity: Int) {
            channelCount = form.channelCount
            self.capacity = capacity
            memory =
                switch form.kind {
                case .integer: .integers(.allocate(capacity: capacity * form.channelCount))
                case .float: .floats(.allocate(capacity: capacity * form.channelCount))
                }
        }

        deinit {
            switch memory {
            case .integers(let memory): memory.deallocate()
            case .floats(let memory): memory.deallocate()
            }
        }

        /// The frames in the buffer.
        var frames: EncodedFrames {
            let count = frameCount * channelCount
            let samples: EncodedFrames.Samples =
                switch memory {
                case .integers(let memory): .integers(UnsafeBufferPointer(rebasing: memory[..<count]))
                case .floats(let memory): .floats(UnsafeBufferPointer(rebasing: memory[..<count]))
                }
            return EncodedFrames(samples: samples, channelCount: channelCount)
        }

        /// Appends as many of these frames as fit.
        ///
        /// - Returns: The number of frames appended.
        func append(_ frames: EncodedFrames) -> Int {
            let appended = frames.prefix(capacity - frameCount)
            let start = frameCount * channelCount
            switch (memory, appended.samples) {
            case (.integers(let memory), .integers(let samples)): Self.copy(samples, to: memory, at: start)
            case (.floats(let memory), .floats(let samples)): Self.copy(samples, to: memory, at: start)
            case (.integers, .floats), (.floats, .integers): preconditionFailure("an output has samples of one kind")
            }
            frameCount += appended.count
            return appended.count
        }

        private static func copy<Sample>(
            _ samples: UnsafeBufferPointer<Sample>, to memory: UnsafeMutableBufferPointer<Sample>, at start: Int
        ) {
            _ = UnsafeMutableBufferPointer(rebasing: memory[start...]).initialize(from: samples)
        }

        /// Fills the buffer with silence.
        func fillWithSilence() {
            switch memory {
            case .integers(let memory): memory.initialize(repeating: 0)
            case .floats(let memory): memory.initialize(repeating: 0)
            }
            frameCount = capacity
        }

        /// Reorders the samples of each frame.
        ///
        /// - Parameter order: For each sample of the new frame, its index in the old one.
        func reorder(_ order: [Int]) {
            switch memory {
            case .integers(let memory): reorder(memory, order)
            case .floats(let memory): reorder(memory, order)
            }
        }

        private func reorder<Sample>(_ samples: UnsafeMutableBufferPointer<Sample>, _ order: [Int]) {
            withUnsafeTemporaryAllocation(of: Sample.self, capacity: channelCount) { frame in
                for start in stride(from: 0, to: frameCount * channelCount, by: channelCount) {
                    for index in order.indices { frame[index] = samples[start + order[index]] }
                    for index in order.indices { samples[start + index] = frame[index] }
                }
            }
        }

        func removeAll() {
            frameCount = 0
        }
    }
}

/// Encodes samples for an output: passes on the source's own samples if the word length holds them, or else quantises
/// floating point, with dither if the samples were converted, except in digital silence. Floating-point encodings get the samples unchanged.
final class SampleEncoder {
    private let encoding: SampleEncoding
    private let isDithered: Bool
    private var dither = Quantizer.Dither()
    private var silence = Quantizer.DigitalSilence(channelCount: 0)
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

        if silence.channelCount != block.channelCount {
            silence = Quantizer.DigitalSilence(channelCount: block.channelCount)
        }
        let runLength = words.count / block.channelCount * block.channelCount
        var start = 0
        while start < block.samples.count {
            let end = min(start + runLength, block.samples.count)
            let run = UnsafeBufferPointer(rebasing: block.samples[start..<end])
            if isDithered, block.isConverted {
                Quantizer.quantize(run, bits: bits, dither: &dither, silence: &silence, into: words)
            } else {
                Quantizer.quantize(run, bits: bits, into: words)
            }
            emit(.integers(UnsafeBufferPointer(rebasing: words[..<run.count])))
            start = end
        }
    }
}
