import Testing

@testable import ACCAudioRecorder

// They have one thread.
@Suite(.tags(.skipsThreadSanitizer)) struct ResamplerTests {
    static let rates = [8_000, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]

    /// Converts in blocks of the given length; 0 stands for varying lengths.
    private func resample(
        _ samples: [Float], from: Int, to: Int, channels: Int = 1, block: Int, quality: ResamplerQuality = .fastest,
        remainder: UnsafeMutablePointer<Double>? = nil
    ) throws -> [Float] {
        var resampler = try Resampler(
            from: from, to: to, channelCount: channels, quality: quality, blockFrames: 512,
            remainder: remainder?.pointee ?? 0)
        var output: [Float] = []
        var rest = samples[...]
        var turn = 0
        while !rest.isEmpty {
            turn += 1
            let frames = block > 0 ? block : 1 + (turn * 7919) % 613
            let part = Array(rest.prefix(frames * channels))
            rest = rest.dropFirst(frames * channels)
            try withBlock(part, channels: channels) { block in
                resampler.append(block)
                while let converted = try resampler.next() { output += converted.copy }
            }
        }
        let leftOver = resampler.finish()
        while let converted = try resampler.next() { output += converted.copy }
        remainder?.pointee = leftOver
        return output
    }

    @Test("F-05: exactly round(frames × out / in) frames at all pairs of rates", arguments: rates, rates)
    func hasTheExactLength(from: Int, to: Int) throws {
        for frames in [0, 1, 7, 479, 4_801] {
            let output = try resample([Float](repeating: 0.5, count: frames), from: from, to: to, block: 480)
            #expect(output.count == (2 * frames * to + from) / (2 * from))
        }
    }

    @Test("F-05: several segments together have the length of one", arguments: rates, rates)
    func roundsOnceOverAllSegments(from: Int, to: Int) throws {
        var remainder = 0.0
        var framesIn = 0
        var framesOut = 0
        for turn in 0..<50 {
            let frames = turn * 7_919 % 613
            framesOut += try resample(
                [Float](repeating: 0.5, count: frames), from: from, to: to, block: 480, remainder: &remainder
            ).count
            framesIn += frames
            #expect(framesOut == (2 * framesIn * to + from) / (2 * from))
        }
    }

    @Test(
        "An impulse keeps its position within half a sample",
        arguments: [(48_000, 44_100), (44_100, 48_000), (48_000, 16_000), (96_000, 48_000)])
    func hasNoDelay(from: Int, to: Int) throws {
        var samples = [Float](repeating: 0, count: 9_600)
        samples[4_803] = 1
        let output = try resample(samples, from: from, to: to, block: 512, quality: .best)
        let peak = try #require(output.indices.max { abs(output[$0]) < abs(output[$1]) })
        #expect(abs(Double(peak) - 4_803 * Double(to) / Double(from)) <= 0.5)
    }

    @Test func doesNotDependOnTheBlockLength() throws {
        let samples = (0..<9_600).map { (number: Int) -> Float in Float((number * 7_919) % 997) / 997 - 0.5 }
        let whole = try resample(samples, from: 48_000, to: 44_100, channels: 2, block: 4_800)
        for block in [0, 1, 7, 480, 4_096] {
            let split = try resample(samples, from: 48_000, to: 44_100, channels: 2, block: block)
            #expect(split == whole)
        }
    }

    @Test func rejectsUnsupportedRatios() {
        #expect(throws: ACCAudioRecorderError.self) {
            _ = try Resampler(from: 1, to: 384_000, channelCount: 1, quality: .best, blockFrames: 1)
        }
    }
}
