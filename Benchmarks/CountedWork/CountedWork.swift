import CCallgrind
import Glibc
import SyntheticRecordings

@testable import ACCAudioRecorder

/// Work that is always the same, whose instructions valgrind counts: `scripts/count-instructions` runs it, one work by its
/// name each time. What happens before and after is not counted, nor what other threads do.
@main
enum CountedWork: String {
    case level, mixing, dither, resampling, engine

    static func main() throws {
        guard let work = CommandLine.arguments.dropFirst().first.flatMap(CountedWork.init) else {
            print("usage: CountedWork level|mixing|dither|resampling|engine")
            exit(EX_USAGE)
        }
        try work.run()
    }

    private func run() throws {
        switch self {
        case .level: level()
        case .mixing: try conversion(to: 48_000, channels: 1, seconds: 2)
        case .dither: dither()
        case .resampling: try conversion(to: 44_100, channels: 2, seconds: 0.2)
        case .engine: try engine()
        }
    }

    private func counted(_ body: () throws -> Void) rethrows {
        accrec_callgrind_toggle_collect()
        try body()
        accrec_callgrind_toggle_collect()
    }

    /// The level of 256 buffers of 4096 stereo frames: many times the instructions where the kernel is not vectorised.
    private func level() {
        var meter = LevelMeter(channelCount: 2, clipThreshold: 1)
        let samples = Noise.floats(2 * 4_096)
        samples.withUnsafeBufferPointer { samples in
            let block = AudioBlock(samples: samples, channelCount: 2)
            counted {
                for _ in 0..<256 { meter.measure(block) }
            }
        }
        precondition(meter.level(of: 0).sampleCount == 256 * 4_096)
    }

    /// 64 runs of 8192 samples, quantised to 16 bits with dither.
    private func dither() {
        let samples = Noise.floats(8_192)
        var dither = Quantizer.Dither()
        var silence = Quantizer.DigitalSilence(channelCount: 2)
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: samples.count) { words in
            samples.withUnsafeBufferPointer { samples in
                counted {
                    for _ in 0..<64 {
                        Quantizer.quantize(samples, bits: 16, dither: &dither, silence: &silence, into: words)
                    }
                }
            }
            precondition(words.contains { $0 != 0 })
        }
    }

    /// Stereo of 48 kHz in another form, in blocks of 40 ms.
    private func conversion(to sampleRate: Int, channels: Int, seconds: Double) throws {
        let source = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))
        let output = StreamFormat(sampleRate: sampleRate, channelMap: .standard(channelCount: UInt32(channels)))
        var converter = try FrameConverter(from: source, to: output, quality: .medium, maximumFrames: 1_920)
        var frames = 0
        let samples = Noise.floats(2 * 1_920)
        try samples.withUnsafeBufferPointer { samples in
            let block = AudioBlock(samples: samples, channelCount: 2)
            try counted {
                for _ in 0..<Int(seconds * 25) {
                    converter.append(block)
                    while let converted = try converter.next() { frames += converted.frameCount }
                }
            }
        }
        precondition(frames > 0)
    }

    /// The engine's part of five seconds of 48 kHz stereo, to a descriptor.
    private func engine() throws {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let recording = SyntheticRecording(
            sampleRate: 48_000, channelCount: 2, seconds: 5,
            to: [RecordingOutput(.descriptor(nowhere), container: .raw)])
        let prepared = try recording.prepare()
        try counted { try prepared.record() }
    }
}
