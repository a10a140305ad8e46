import Testing

@testable import ACCAudioRecorder

// They have one thread.
@Suite(.tags(.skipsThreadSanitizer)) struct FragmentDecoderTests {
    @Test("A fragment is decoded in short blocks, bit for bit", arguments: [1, 2, 3, 32], [[], [2, 1]])
    func decodesInBlocks(channelCount: Int, selected: [Int]) {
        let selected = selected.filter { $0 <= channelCount }
        let frames = 20_000
        let bytes = (0..<frames * channelCount).map { Int16(truncatingIfNeeded: $0 &* 40_503) }
        let spec = SampleSpec(format: .s16LE, rate: 48_000, channels: channelCount)
        var decoder = FragmentDecoder(spec, selectedChannels: selected)
        let range = 17..<frames - 5
        var decoded: [Int32] = []
        var lengths: [Int] = []
        bytes.withUnsafeBytes { fragment in
            var rest = range
            while !rest.isEmpty {
                let block = decoder.decode(&rest, of: fragment)
                decoded += block.exactSamples ?? UnsafeBufferPointer(start: nil, count: 0)
                lengths.append(block.frameCount)
            }
        }
        let channels = selected.isEmpty ? Array(1...channelCount) : selected
        let expected = range.flatMap { frame in channels.map { bytes[frame * channelCount + $0 - 1] } }
        #expect(decoded == expected.map { Int32($0) << 16 })
        #expect(lengths.allSatisfy { $0 <= decoder.maximumFrames } && lengths.count > 1)
        #expect(decoder.maximumFrames * channelCount * 4 <= 32 << 10)
    }
}
