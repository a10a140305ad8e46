import CSampleRate

/// Resamples one stretch of consecutive frames; owns one libsamplerate state.
///
/// The output is exactly `round(frames × outputRate / inputRate)` frames, without delay against the source: the first
/// output frame is at the first source frame, and the rest comes after `finish`. The fraction that rounding leaves over
/// is passed to the next stretch, so that many stretches together have the length of one.
///
/// The ratio can glide. Then the length is what the ratios that were used make it, and `position` says which source frame
/// an output frame is.
struct Resampler: ~Copyable {
    /// The name and version of the library: `libsamplerate-0.2.2 (c) 2002-2008 Erik de Castro Lopo`, without the copyright.
    static var libraryVersion: String {
        String(String(cString: src_get_version()).prefix { !$0.isWhitespace })
    }

    private let state: OpaquePointer
    private let inputRate: Int
    private let outputRate: Int
    private let channelCount: Int
    private let output: UnsafeMutableBufferPointer<Float>
    /// Appended samples that are not converted yet.
    private var input = UnsafeBufferPointer<Float>(start: nil, count: 0)
    /// Whether the converter may hold more output for the input so far.
    private var mayHoldOutput = false
    /// Appended at the end, so that the converter can look beyond the last frame; empty before.
    private var silence = UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
    private var framesIn = 0
    private var framesOut = 0
    /// The number of output frames of the stretch, once it is finished.
    private var outputLength = Int.max
    private let initialRemainder: Double
    /// The ratio that the converter glides to, and the one that it used for its last output frame.
    private var ratio: Double
    private var usedRatio: Double
    private var hasGlided = false
    private var hasStarted = false
    /// The source frame at which the next output frame lies; between two of them, as a rule.
    private(set) var position = 0.0

    /// - Parameters:
    ///   - blockFrames: The size of an output block in frames; longer output comes in several blocks.
    ///   - remainder: The value that `finish` of the previous stretch returned; 0 for the first.
    init(
        from inputRate: Int, to outputRate: Int, channelCount: Int, quality: ResamplerQuality, blockFrames: Int,
        remainder: Double = 0
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
        self.ratio = ratio
        usedRatio = ratio
        initialRemainder = remainder
        output = .allocate(capacity: max(blockFrames, 1) * channelCount)
        output.initialize(repeating: 0)
    }

    deinit {
        _ = src_delete(state)
        output.deallocate()
        silence.deallocate()
    }

    /// Appends a block. Call `next` until it returns nil before appending another.
    mutating func append(_ block: AudioBlock) {
        framesIn += block.frameCount
        input = block.samples
        mayHoldOutput = true
    }

    /// The number of source frames that were appended.
    var endPosition: Int { framesIn }

    /// Lets the ratio of output frames to source frames glide to this one, over the next block of output; before the first
    /// input it is this one at once.
    mutating func glide(to ratio: Double) {
        if !hasStarted { usedRatio = ratio }
        (self.ratio, hasGlided) = (ratio, true)
    }

    /// Ends the stretch and begins another one, with nothing of the audio before.
    mutating func reset() {
        src_reset(state)
        input = UnsafeBufferPointer(start: nil, count: 0)
        silence.deallocate()
        silence = UnsafeMutableBufferPointer(start: nil, count: 0)
        (mayHoldOutput, framesIn, framesOut, outputLength) = (false, 0, 0, .max)
        (usedRatio, position, hasStarted) = (ratio, 0, false)
    }

    /// Ends the stretch. Call `next` until it returns nil for what the converter still holds.
    ///
    /// - Returns: The fraction of an output frame left over by rounding, from −0.5 to 0.5; 0 if the ratio has glided.
    mutating func finish() -> Double {
        silence = .allocate(capacity: 1024 * channelCount)
        silence.initialize(repeating: 0)
        guard !hasGlided else {
            ratio = usedRatio
            outputLength = framesOut + max(Int(((Double(framesIn) - position) * ratio - 1e-9).rounded(.up)), 0)
            return 0
        }
        let (whole, part) = (framesIn * outputRate).quotientAndRemainder(dividingBy: inputRate)
        let fraction = initialRemainder + Double(part) / Double(inputRate)
        // Rounds a half up, even if the sum of fractions is slightly below it.
        let rounded = (fraction + 0.5 + 1e-9).rounded(.down)
        outputLength = whole + Int(rounded)
        return fraction - rounded
    }

    /// The next block of output, valid until the next call; nil if more input is needed.
    mutating func next() throws(ACCAudioRecorderError) -> AudioBlock? {
        while true {
            if !mayHoldOutput {
                guard !silence.isEmpty, framesOut < outputLength else { return nil }
                input = UnsafeBufferPointer(silence)
            }
            let frames = min(try process(), outputLength - framesOut)
            guard frames > 0 else { continue }
            framesOut += frames
            let samples = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(output)[..<(frames * channelCount)])
            return AudioBlock(samples: samples, exactSamples: nil, isConverted: true, channelCount: channelCount)
        }
    }

    /// Converts as much as fits into the output block.
    ///
    /// - Returns: The number of output frames.
    private mutating func process() throws(ACCAudioRecorderError) -> Int {
        var data = SRC_DATA()
        data.src_ratio = ratio
        data.data_in = input.baseAddress
        data.input_frames = input.count / channelCount
        data.data_out = output.baseAddress
        data.output_frames = output.count / channelCount
        let status = src_process(state, &data)
        hasStarted = true
        guard status == 0 else {
            throw .captureFailed(
                .init(
                    .invalidFormat, "cannot convert to \(outputRate) Hz",
                    cause: String(cString: src_strerror(status)),
                    remedy: "Record at the source's rate."))
        }
        input = UnsafeBufferPointer(rebasing: input.dropFirst(data.input_frames_used * channelCount))
        // If the output block is full, the converter may hold more.
        mayHoldOutput = !input.isEmpty || data.output_frames_gen == data.output_frames
        advance(by: data.output_frames_gen, of: data.output_frames)
        return data.output_frames_gen
    }

    /// Moves the position as libsamplerate does (`src_sinc.c`): output frame k of a call lies one over its ratio before the
    /// next, and its ratio is k n-ths of the way to the new one, where n is the room for output, not what is generated.
    private mutating func advance(by frames: Int, of capacity: Int) {
        guard frames > 0 else { return }
        let change = ratio - usedRatio
        guard abs(change) > Self.smallestChange else {
            position += Double(frames) / usedRatio
            return
        }
        let first = usedRatio
        for frame in 0..<frames {
            usedRatio = first + Double(frame) * change / Double(capacity)
            position += 1 / usedRatio
        }
    }

    /// libsamplerate ignores smaller changes of the ratio.
    private static let smallestChange = 1e-10
}

/// The quality of libsamplerate's band-limited sinc converters.
@nonexhaustive
public enum ResamplerQuality: String, Sendable, Hashable, CaseIterable, Codable {
    /// 145 dB signal-to-noise ratio, passband up to 96 % of the lower Nyquist frequency.
    case best
    /// 121 dB signal-to-noise ratio, passband up to 90 %.
    case medium
    /// 97 dB signal-to-noise ratio, passband up to 80 %.
    case fastest

    var converter: Int32 {
        switch self {
        case .best: Int32(SRC_SINC_BEST_QUALITY)
        case .medium: Int32(SRC_SINC_MEDIUM_QUALITY)
        case .fastest: Int32(SRC_SINC_FASTEST)
        }
    }
}
