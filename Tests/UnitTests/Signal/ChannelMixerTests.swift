import Testing

@testable import ACCAudioRecorder

@Suite struct ChannelMixerTests {
    private func mix(_ samples: [Float], from source: Int, to output: Int) -> [Float] {
        let mixer = ChannelMixer(from: source, to: output, maximumFrames: samples.count)
        return withBlock(samples, channels: source) { mixer.mix($0).copy }
    }

    @Test func takesTheMeanForOneChannel() {
        #expect(mix([0.5, 0.25, -1, 1], from: 2, to: 1) == [0.375, 0])
    }

    @Test func copiesOneChannelToAll() {
        #expect(mix([0.5, -0.25], from: 1, to: 3) == [0.5, 0.5, 0.5, -0.25, -0.25, -0.25])
    }

    @Test func leavesFurtherChannelsSilent() {
        #expect(mix([0.5, 0.25], from: 2, to: 4) == [0.5, 0.25, 0, 0])
    }

    @Test func foldsChannelsInTurn() {
        #expect(mix([1, 0.5, 0, 0.25], from: 4, to: 2) == [0.5, 0.375])
        #expect(mix([1, 0.5, 0], from: 3, to: 2) == [0.5, 0.5])
    }

    @Test func neverClipsAndLeavesNoChannelOut() {
        for source in 1...32 {
            for output in 1...32 {
                let gains = ChannelMixer.gains(from: source, to: output)
                for row in 0..<output {
                    let sum = gains[row * source..<(row + 1) * source].reduce(0, +)
                    #expect(sum < 1.0001)
                }
                for column in 0..<source where source <= output || output >= 1 {
                    #expect((0..<output).contains { gains[$0 * source + column] > 0 })
                }
            }
        }
    }
}
