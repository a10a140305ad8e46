import CSampleRate

/// The owner of one libsamplerate state: a continuous conversion of one stretch of frames.
///
/// What comes out is `round(frames × outputRate / inputRate)` frames exactly, without delay against the
/// source: the converter's first output is at the source's first frame, and `flush` brings out the rest.
struct Resampler: ~Copyable {
    private let state: OpaquePointer
    private let inputRate: Int
    private let outputRate: Int
    private let channelCount: Int
    private let output: UnsafeMutableBufferPointer<Float>
    private var framesIn = 0
    private var framesOut = 0

    /// - Parameter blockFrames: The output block's size; a longer output comes in several blocks.
    init(
        from inputRate: Int, to outputRate: Int, channelCount: Int, quality: ResamplerQuality, blockFrames: Int
    ) throws(ACCAudioRecorderError) {
        var status: Int32 = 0
        let ratio = Double(outputRate) / Double(inputRate)
        guard src_is_valid_ratio(ratio) != 0, let state = src_new(quality.converter, Int32(channelCount), &status)
        else {
            throw .audioFormatCreationFailed(
                .init(
                    .invalidFormat, "cannot convert from \(inputRate) Hz to \(outputRate) Hz",
                    cause: status == 0 ? "the ratio is beyond 1 : 256" : String(cString: src_strerror(status)),
                    remedy: "Choose a rate nearer to the source's."))
        }
        self.state = state
        self.inputRate = inputRate
        self.outputRate = outputRate
        self.channelCount = channelCount
        output = .allocate(capacity: max(blockFrames, 1) * channelCount)
        output.initialize(repeating: 0)
    }

    deinit {
        _ = src_delete(state)
        output.deallocate()
    }

    /// Converts a block and hands on what came out of it, in blocks that are valid during the call.
    mutating func convert(_ block: AudioBlock, _ emit: (AudioBlock) -> Void) throws(ACCAudioRecorderError) {
        framesIn += block.frameCount
        try process(block.samples, limit: .max, emit)
    }

    /// Brings out what the converter still holds, by feeding it the silence it needs to see beyond the end.
    mutating func flush(_ emit: (AudioBlock) -> Void) throws(ACCAudioRecorderError) {
        let total = (2 * framesIn * outputRate + inputRate) / (2 * inputRate)
        let silence = UnsafeMutableBufferPointer<Float>.allocate(capacity: 1024 * channelCount)
        silence.initialize(repeating: 0)
        defer { silence.deallocate() }
        while framesOut < total {
            try process(UnsafeBufferPointer(silence), limit: total, emit)
        }
    }

    private mutating func process(
        _ input: UnsafeBufferPointer<Float>, limit: Int, _ emit: (AudioBlock) -> Void
    ) throws(ACCAudioRecorderError) {
        var data = SRC_DATA()
        data.src_ratio = Double(outputRate) / Double(inputRate)
        data.data_in = input.baseAddress
        data.input_frames = input.count / channelCount
        data.data_out = output.baseAddress
        data.output_frames = output.count / channelCount
        repeat {
            let status = src_process(state, &data)
            guard status == 0 else {
                throw .captureFailed(
                    .init(
                        .invalidFormat, "cannot convert to \(outputRate) Hz",
                        cause: String(cString: src_strerror(status)),
                        remedy: "Record at the source's rate."))
            }
            data.data_in += data.input_frames_used * channelCount
            data.input_frames -= data.input_frames_used

            let frames = min(data.output_frames_gen, limit - framesOut)
            framesOut += frames
            if frames > 0 {
                let samples = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(output)[..<(frames * channelCount)])
                emit(AudioBlock(samples: samples, exactSamples: nil, isConverted: true, channelCount: channelCount))
            }
            // A full output block may have left more inside.
        } while data.input_frames > 0 || data.output_frames_gen == data.output_frames
    }
}
