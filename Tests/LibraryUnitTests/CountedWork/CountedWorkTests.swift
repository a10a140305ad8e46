import CCallgrind
import Glibc
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// Work that is always the same: `scripts/count-instructions` runs each test under valgrind, and compares how many
/// instructions it takes with those in `instructions.json`. What happens before and after is not counted, nor what other
/// threads do.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct CountedWorkTests {
    private func counted(_ body: () throws -> Void) rethrows {
        accrec_callgrind_toggle_collect()
        try body()
        accrec_callgrind_toggle_collect()
    }

    /// Many times the instructions where the kernel is not vectorised.
    @Test("R-13: the level of 256 buffers of 4096 stereo frames")
    func level() {
        var meter = LevelMeter(channelCount: 2, clipThreshold: 1)
        let samples = Noise.floats(2 * 4_096)
        samples.withUnsafeBufferPointer { samples in
            let block = AudioBlock(samples: samples, channelCount: 2)
            counted {
                for _ in 0..<256 { meter.measure(block) }
            }
        }
        #expect(meter.level(of: 0).sampleCount == 256 * 4_096)
    }

    @Test("64 runs of 8192 samples, quantised to 16 bits with dither")
    func dither() {
        let samples = Noise.floats(8_192)
        var dither = Dither()
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: samples.count) { words in
            samples.withUnsafeBufferPointer { samples in
                counted {
                    for _ in 0..<64 { Quantizer.quantize(samples, bits: 16, dither: &dither, into: words) }
                }
            }
            #expect(words.contains { $0 != 0 })
        }
    }

    @Test("Two seconds of stereo to mono")
    func mixing() throws {
        try conversion(to: 48_000, channels: 1, seconds: 2)
    }

    @Test("0.2 s of 48 kHz stereo to 44.1 kHz")
    func resampling() throws {
        try conversion(to: 44_100, channels: 2, seconds: 0.2)
    }

    /// Stereo of 48 kHz in another form, in blocks of 40 ms.
    private func conversion(to sampleRate: Int, channels: Int, seconds: Double) throws {
        let source = StreamFormat(sampleRate: 48_000, channelMap: .standard(channelCount: 2))
        let output = StreamFormat(sampleRate: sampleRate, channelMap: .standard(channelCount: channels))
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
        #expect(frames > 0)
    }

    @Test("The engine's part of five seconds of 48 kHz stereo, to a descriptor")
    func engine() throws {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        let take = SyntheticTake(
            sampleRate: 48_000, channelCount: 2, seconds: 5,
            to: [RecordingOutput(.descriptor(nowhere), container: .raw)])
        let prepared = try take.prepare()
        try counted { try prepared.record() }
    }
}
