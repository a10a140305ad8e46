import Glibc
import Testing

@testable import ACCAudioRecorder

@Suite(.tags(.skipsThreadSanitizer)) struct ChannelMixerTests {
    /// A map of channels without positions.
    private func numbered(_ count: Int) -> ChannelMap { ChannelMap((0..<count).map { .auxiliary($0) }) }

    private func mix(_ samples: [Float], from source: ChannelMap, to output: ChannelMap) -> [Float] {
        let mixer = ChannelMixer(from: source, to: output, maximumFrames: samples.count)
        return withBlock(samples, channels: source.count) { mixer.mix($0).copy }
    }

    @Test func takesTheMeanForOneChannel() {
        #expect(
            mix([0.5, 0.25, -1, 1], from: .standard(channelCount: 2), to: .standard(channelCount: 1)) == [0.375, 0])
    }

    @Test func copiesOneChannelToAll() {
        let mono = ChannelMap([.mono])
        #expect(
            mix([0.5, -0.25], from: mono, to: .standard(channelCount: 3)) == [0.5, 0.5, 0.5, -0.25, -0.25, -0.25])
    }

    @Test func foldsChannelsWithoutPositionsInTurn() {
        #expect(mix([1, 0.5, 0, 0.25], from: numbered(4), to: .standard(channelCount: 2)) == [0.5, 0.375])
        #expect(mix([1, 0.5, 0], from: numbered(3), to: .standard(channelCount: 2)) == [0.5, 0.5])
        #expect(mix([0.5, 0.25], from: numbered(2), to: .standard(channelCount: 4)) == [0.5, 0.25, 0, 0])
    }

    @Test("Splitting the frames into blocks changes nothing", arguments: [1, 7, 480, 4_096, nil])
    func doesNotDependOnBlocks(length: Int?) {
        let source = ChannelMap.standard(channelCount: 6)
        let output = ChannelMap.standard(channelCount: 2)
        let samples = (0..<6 * 10_000).map { sin(Float($0) * 0.37) }
        let whole = mix(samples, from: source, to: output)
        var parts: [Float] = []
        var first = 0
        while first < samples.count {
            let end = min(first + 6 * (length ?? .random(in: 1...5_000)), samples.count)
            parts += mix(Array(samples[first..<end]), from: source, to: output)
            first = end
        }
        #expect(whole == parts)
    }
}
