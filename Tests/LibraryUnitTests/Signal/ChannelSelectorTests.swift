import Testing

@testable import ACCAudioRecorder

@Suite struct ChannelSelectorTests {
    @Test("Channels are selected, duplicated and reordered bit for bit")
    func keepsBits() {
        let exact: [Int32] = [1, -2, 3, .max, .min, 6]
        let samples = exact.map { Float($0) * 0x1p-31 }
        exact.withUnsafeBufferPointer { exact in
            samples.withUnsafeBufferPointer { samples in
                let block = AudioBlock(samples: samples, exactSamples: exact, exactBits: 32, channelCount: 3)
                let selector = ChannelSelector([3, 1, 3], maximumFrames: 2)
                let selected = selector.select(block)
                #expect(selected.exactSamples.map(Array.init) == [3, 1, 3, 6, .max, 6])
                #expect(selected.copy == [3, 1, 3, 6, 0x1p31, 6].map { $0 * 0x1p-31 })
                #expect(selected.exactBits == 32 && !selected.isConverted && selected.channelCount == 3)
            }
        }
    }
}
