import SyntheticRecordings

@testable import ACCAudioRecorder

/// What may happen to 40 ms of 48 kHz stereo between decoding and writing.
enum ConversionBenchmark {
    private static let frames = 1_920

    static func run(turns: Int) throws -> [Figure] {
        let words = UnsafeMutableBufferPointer<Int32>.allocate(capacity: 2 * frames)
        words.initialize(repeating: 0)
        defer { words.deallocate() }
        let stages = Stages(words: words)
        let int16 = Noise.int16(2 * frames)
        let floats = Noise.floats(2 * frames)
        return try int16.withUnsafeBytes { bytes in
            try floats.withUnsafeBufferPointer { floats in
                let block = AudioBlock(samples: floats, channelCount: 2)
                var contest = Contest("1,920 stereo frames", turns: turns)
                contest.add("decoded from s16") { stages.decode(bytes) }
                contest.add("mixed to mono") { stages.mix(block) }
                contest.add("quantised to s16") { stages.quantize(floats) }
                contest.add("quantised to s16 with dither") { stages.dither(floats) }
                let figures = try contest.run(unit: "µs", nanoseconds: 1_000)
                precondition(stages.sink != 0)
                return figures
            }
        }
    }

    private final class Stages {
        private let decoder = SampleDecoder(
            spec: SampleSpec(format: .s16LE, sampleRate: 48_000, channelCount: 2), maximumFrames: frames)
        private let mixer = ChannelMixer(
            from: .standard(channelCount: 2), to: .standard(channelCount: 1), maximumFrames: frames)
        private let words: UnsafeMutableBufferPointer<Int32>
        private var dither = Quantizer.Dither()
        private var silence = Quantizer.DigitalSilence(channelCount: 2)
        /// Something of every result.
        var sink: Float = 0

        init(words: UnsafeMutableBufferPointer<Int32>) {
            self.words = words
        }

        func decode(_ bytes: UnsafeRawBufferPointer) {
            sink += decoder.decode(bytes).samples[1]
        }

        func mix(_ block: AudioBlock) {
            sink += mixer.mix(block).samples[1]
        }

        func quantize(_ samples: UnsafeBufferPointer<Float>) {
            Quantizer.quantize(samples, bits: 16, into: words)
            sink += Float(words[1])
        }

        func dither(_ samples: UnsafeBufferPointer<Float>) {
            Quantizer.quantize(samples, bits: 16, dither: &dither, silence: &silence, into: words)
            sink += Float(words[1])
        }
    }
}
