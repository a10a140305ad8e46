import Testing

@testable import ACCAudioRecorder

@Suite(.tags(.skipsThreadSanitizer)) struct DitherTests {
    /// Encodes in blocks of these lengths in turn.
    private func encode(_ samples: [Float], isConverted: Bool, isDithered: Bool = true, runs: [Int]? = nil) -> [Int32] {
        let encoder = SampleEncoder(.s16, isDithered: isDithered)
        var words: [Int32] = []
        var rest = samples[...]
        let runs = runs ?? [samples.count]
        var turn = 0
        while !rest.isEmpty {
            withBlock(Array(rest.prefix(runs[turn % runs.count]))) { block in
                var block = block
                block.isConverted = isConverted
                encoder.encode(block) { frames in
                    if case .integers(let samples) = frames.samples { words += samples.map { $0 >> 16 } }
                }
            }
            rest = rest.dropFirst(runs[turn % runs.count])
            turn += 1
        }
        return words
    }

    @Test func isTriangularWithTheRightPower() {
        var dither = Quantizer.Dither()
        let noise = (0..<200_000).map { _ in dither.next() }
        let mean = noise.reduce(0, +) / Double(noise.count)
        let power = noise.reduce(0) { $0 + $1 * $1 } / Double(noise.count)
        #expect(abs(mean) < 0.005)
        // Two uniform random numbers of one step's width have a power of 1/12 each.
        #expect(abs(power - 1.0 / 6) < 0.002)
        #expect(noise.allSatisfy { abs($0) < 1 })
        #expect(abs(Double(noise.count { abs($0) < 0.5 }) / Double(noise.count) - 0.75) < 0.005)
    }

    @Test("Quantizer.Dither preserves a quarter of a step on average; without it nothing is left")
    func keepsWhatIsBelowAStep() {
        let quiet = [Float](repeating: 0.25 * 0x1p-15, count: 100_000)
        #expect(encode(quiet, isConverted: true, isDithered: false).allSatisfy { $0 == 0 })
        let sum = encode(quiet, isConverted: true).reduce(0) { $0 + Int($1) }
        #expect(abs(Double(sum) / 100_000 - 0.25) < 0.01)
    }

    @Test func unconvertedSamplesAreNeverDithered() {
        let samples = (-1_000..<1_000).map { Float($0) * 0x1p-15 }
        #expect(encode(samples, isConverted: false) == (-1_000..<1_000).map { Int32($0) })
        #expect(encode(samples, isConverted: true) != (-1_000..<1_000).map { Int32($0) })
    }

    @Test("Digital silence stays that, and a sound in it has the dither that it has without it")
    func leavesSilence() {
        let step = Float(0x1p-15)
        #expect(encode([Float](repeating: 0, count: 5_000), isConverted: true).allSatisfy { $0 == 0 })
        // After a sound, 1024 zeros may be part of it.
        let silence = [Float](repeating: 0, count: 2_000)
        let words = encode(silence + [step] + silence, isConverted: true)
        #expect(words[..<2_000].allSatisfy { $0 == 0 } && words[2_000] != 0)
        #expect(words[2_001..<3_025].contains { $0 != 0 } && words[3_025...].allSatisfy { $0 == 0 })
        // A wave that passes zero has dither there as everywhere, so that the noise does not change with it.
        let wave = (0..<60_000).map { [0, 0.4, 0, -0.4][$0 % 4] * step }
        let encoded = encode(wave, isConverted: true)
        let zeros = stride(from: 2, to: 60_000, by: 2).map { Double(encoded[$0]) }
        // A power of 1/6 LSB² from the dither, and 1/12 from rounding.
        #expect(abs(zeros.reduce(0) { $0 + $1 * $1 } / Double(zeros.count) - 0.25) < 0.01)
    }

    @Test func doesNotDependOnTheBlockLength() {
        let samples = (0..<10_000).map { $0 > 4_000 && $0 < 7_000 ? 0 : Float($0 % 97) * 0x1p-16 }
        let whole = encode(samples, isConverted: true)
        for runs in [[1], [7], [480], [4_096], (1...9).map { _ in .random(in: 1...5_000) }] {
            #expect(encode(samples, isConverted: true, runs: runs) == whole)
        }
    }
}
