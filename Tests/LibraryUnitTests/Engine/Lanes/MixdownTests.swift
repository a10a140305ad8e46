import Testing

@testable import ACCAudioRecorder

@Suite struct MixdownTests {
    /// What a layout makes of a stereo lane and another one, of two frames.
    private func mix(_ layout: Mixdown.Layout, with other: [Float], channels: Int) -> [Float]? {
        guard let mixdown = Mixdown(layout, of: [2, channels], maximumFrames: 2) else { return nil }
        return withBlock([0.25, -0.5, 1, 0.75], channels: 2) { first in
            withBlock(other, channels: channels) { second in mixdown.mix([first, second]).copy }
        }
    }

    @Test("A sum has all lanes, and does not clip")
    func sum() {
        #expect(mix(.sum, with: [0.5, 0.5, 1, -0.5], channels: 2) == [0.75, 0, 2, 0.25])
    }

    @Test("A stack has the channels of a lane after those of the one before")
    func stack() {
        #expect(mix(.stack, with: [8, 9], channels: 1) == [0.25, -0.5, 8, 1, 0.75, 9])
        #expect(Mixdown.Layout.stack.channelCount(of: [2, 1]) == 3)
    }

    @Test("A lane by itself passes bit for bit, with its exact samples")
    func lane() {
        #expect(mix(.lane(1), with: [8, 9], channels: 1) == [8, 9])
        let exact: [Int32] = [1, 2]
        let samples: [Float] = [0.5, 0.25]
        samples.withUnsafeBufferPointer { samples in
            exact.withUnsafeBufferPointer { exact in
                let block = AudioBlock(samples: samples, exactSamples: exact, exactBits: 16, channelCount: 1)
                for layout in [Mixdown.Layout.stack, .sum, .lane(0)] {
                    let mixed = Mixdown(layout, of: [1], maximumFrames: 2)?.mix([block])
                    #expect(mixed?.samples.baseAddress == samples.baseAddress)
                    #expect(mixed?.exactSamples?.baseAddress == exact.baseAddress)
                }
            }
        }
    }

    @Test("Lanes that do not fit a layout are refused")
    func misfits() {
        #expect(Mixdown.Layout.stack.channelCount(of: [30, 2]) == 32)
        #expect(Mixdown.Layout.stack.channelCount(of: [31, 2]) == nil)
        #expect(Mixdown.Layout.sum.channelCount(of: [2, 1]) == nil)
        #expect(Mixdown.Layout.sum.channelCount(of: [2, 2]) == 2)
        #expect(Mixdown.Layout.lane(2).channelCount(of: [2, 2]) == nil)
        #expect(Mixdown.Layout.sum.channelCount(of: []) == nil)
    }
}
