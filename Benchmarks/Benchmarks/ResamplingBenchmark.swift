import CSampleRate
import SyntheticRecordings

@testable import ACCAudioRecorder

/// The resampler beside libsamplerate alone, on the same blocks: a second of 48 kHz stereo to 44.1 kHz, in 40 ms each.
enum ResamplingBenchmark {
    private static let frames = 1_920
    private static let blocks = 25

    static func run(turns: Int) throws -> [Figure] {
        let samples = Noise.floats(2 * frames)
        return try samples.withUnsafeBufferPointer { samples in
            try ResamplerQuality.allCases.flatMap { quality in
                let wrapper = try Wrapper(quality)
                let bare = Bare(quality)
                var contest = Contest("48 to 44.1 kHz, \(quality), a second of stereo", turns: turns)
                contest.add("Resampler") { try wrapper.convert(AudioBlock(samples: samples, channelCount: 2)) }
                contest.add("libsamplerate") { bare.convert(samples) }
                let figures = try contest.run(unit: "ms", nanoseconds: 1_000_000)
                precondition(wrapper.framesOut > 0 && bare.framesOut > 0)
                return figures
            }
        }
    }

    private final class Wrapper {
        private var resampler: Resampler
        var framesOut = 0

        init(_ quality: ResamplerQuality) throws {
            resampler = try Resampler(
                from: 48_000, to: 44_100, channelCount: 2, quality: quality, blockFrames: frames * 441 / 480 + 64)
        }

        func convert(_ block: AudioBlock) throws {
            for _ in 0..<blocks {
                resampler.append(block)
                while let converted = try resampler.next() { framesOut += converted.frameCount }
            }
        }
    }

    private final class Bare {
        private let state: OpaquePointer
        private let output = UnsafeMutableBufferPointer<Float>.allocate(capacity: 2 * frames)
        var framesOut = 0

        init(_ quality: ResamplerQuality) {
            var status: Int32 = 0
            guard let state = src_new(quality.converter, 2, &status) else { preconditionFailure("src_new: \(status)") }
            self.state = state
        }

        deinit {
            _ = src_delete(state)
            output.deallocate()
        }

        func convert(_ samples: UnsafeBufferPointer<Float>) {
            for _ in 0..<blocks {
                var data = SRC_DATA()
                data.src_ratio = 44_100.0 / 48_000
                data.data_in = samples.baseAddress
                data.input_frames = frames
                data.data_out = output.baseAddress
                data.output_frames = frames
                precondition(src_process(state, &data) == 0 && data.input_frames_used == frames)
                framesOut += data.output_frames_gen
            }
        }
    }
}
