import Testing

@testable import ACCAudioRecorder

@Suite struct QuantizerTests {
    private func quantize(_ samples: [Float], bits: Int) -> [Int32] {
        var words = [Int32](repeating: 0, count: samples.count)
        words.withUnsafeMutableBufferPointer { words in
            samples.withUnsafeBufferPointer { Quantizer.quantize($0, bits: bits, into: words) }
        }
        return words.map { $0 >> Int32(32 - bits) }
    }

    @Test func roundsToNearestWithTiesToEven() {
        let step: Float = 0x1p-15
        #expect(
            quantize([0.4 * step, 0.6 * step, -0.6 * step, 0.5 * step, 1.5 * step, -1.5 * step], bits: 16)
                == [0, 1, -1, 0, 2, -2])
    }

    @Test(arguments: [8, 16, 24, 32])
    func clipsInsteadOfWrapping(bits: Int) {
        let highest = Int32.max >> Int32(32 - bits)
        #expect(quantize([1, 1.5, 1e30, .infinity], bits: bits) == [highest, highest, highest, highest])
        #expect(quantize([-1, -1.5, -.infinity], bits: bits) == [-highest - 1, -highest - 1, -highest - 1])
        #expect(quantize([.nan], bits: bits) == [0])
    }

    @Test func returnsEvery16BitSampleUnchanged() {
        let words = (-32768...32767).map { Int32($0) }
        #expect(quantize(words.map { Float($0) * 0x1p-15 }, bits: 16) == words)
    }
}
