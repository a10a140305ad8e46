import Testing

@testable import ACCAudioRecorder

/// The gains documented in the manual.
@Suite struct ChannelMatrixTests {
    private func map(_ names: String) throws -> ChannelMap { try #require(ChannelMap(names: names)) }

    /// Rows by output channel.
    private func gains(_ source: ChannelMap, _ output: ChannelMap) -> [[Float]] {
        let gains = ChannelMixer.Matrix(from: source, to: output).gains
        return (0..<output.count).map { row in
            gains[row * source.count..<(row + 1) * source.count].map { ($0 * 1e4).rounded() / 1e4 }
        }
    }

    @Test func surroundToStereo() {
        #expect(
            gains(.standard(channelCount: 6), .standard(channelCount: 2)) == [
                [0.4142, 0, 0.2929, 0, 0.2929, 0],
                [0, 0.4142, 0.2929, 0, 0, 0.2929],
            ])
        #expect(
            gains(.standard(channelCount: 8), .standard(channelCount: 2)) == [
                [0.3204, 0, 0.2265, 0, 0.2265, 0, 0.2265, 0],
                [0, 0.3204, 0.2265, 0, 0, 0.2265, 0, 0.2265],
            ])
    }

    @Test func surroundToMono() {
        #expect(
            gains(.standard(channelCount: 6), .standard(channelCount: 1)) == [
                [0.2071, 0.2071, 0.2929, 0, 0.1464, 0.1464]
            ])
    }

    @Test func betweenSurrounds() {
        let rows = gains(.standard(channelCount: 8), .standard(channelCount: 6))
        #expect(rows[0] == [0.5858, 0, 0, 0, 0, 0, 0, 0])
        #expect(rows[3] == [0, 0, 0, 0.5858, 0, 0, 0, 0])
        #expect(rows[4] == [0, 0, 0, 0, 0.5858, 0, 0.4142, 0])
        let up = gains(.standard(channelCount: 6), .standard(channelCount: 8))
        #expect(up[4] == [0, 0, 0, 0, 1, 0] && up[6] == [0, 0, 0, 0, 0, 0])
    }

    @Test("The channel order is that of the map, not the standard one")
    func followsTheMap() throws {
        let pulse = try map("front-left,front-right,rear-left,rear-right,front-center,lfe")
        #expect(gains(pulse, .standard(channelCount: 2))[0] == [0.4142, 0, 0.2929, 0, 0.2929, 0])
        let swapped = try map("front-right,front-left")
        #expect(gains(swapped, .standard(channelCount: 4))[0] == [0, 1])
    }

    @Test("Mixing never clips, and only the LFE channel is dropped")
    func neverClips() {
        for source in 1...32 {
            for output in 1...32 {
                let sourceMap = ChannelMap.standard(channelCount: UInt32(source))
                let rows = gains(sourceMap, .standard(channelCount: UInt32(output)))
                for row in rows { #expect(row.reduce(0, +) < 1.002) }
                for column in 0..<source where sourceMap.positions[column] != .lowFrequency {
                    #expect(rows.contains { $0[column] > 0 }, "channel \(column) of \(source) to \(output)")
                }
            }
        }
    }
}
