import Testing

@testable import ACCAudioRecorder

@Suite struct SampleDecoderTests {
    /// The bytes of one sample in each format, and its value, left-justified in 32 bits.
    static let integers: [(SampleFormat, [UInt8], Int32)] = [
        (.u8, [0x00], -0x8000_0000), (.u8, [0x80], 0), (.u8, [0xFF], 0x7F00_0000),
        (.s16LE, [0x34, 0x12], 0x1234_0000), (.s16BE, [0x12, 0x34], 0x1234_0000),
        (.s16LE, [0x00, 0x80], -0x8000_0000),
        (.s24LE, [0x56, 0x34, 0x12], 0x1234_5600), (.s24BE, [0x12, 0x34, 0x56], 0x1234_5600),
        (.s24LE, [0xFF, 0xFF, 0xFF], -0x100),
        (.s24In32LE, [0x56, 0x34, 0x12, 0x00], 0x1234_5600), (.s24In32BE, [0x00, 0x12, 0x34, 0x56], 0x1234_5600),
        (.s24In32LE, [0xFF, 0xFF, 0xFF, 0x00], -0x100),
        (.s32LE, [0x78, 0x56, 0x34, 0x12], 0x1234_5678), (.s32BE, [0x12, 0x34, 0x56, 0x78], 0x1234_5678),
        // ITU-T G.191's reference: the quietest and the loudest codes.
        (.aLaw, [0xD5], 8 << 16), (.aLaw, [0x55], -8 << 16), (.aLaw, [0xAA], 32256 << 16),
        (.uLaw, [0xFF], 0), (.uLaw, [0x80], 32124 << 16), (.uLaw, [0x00], -32124 << 16),
    ]

    @Test(arguments: integers)
    func decodesIntegersExactly(format: SampleFormat, bytes: [UInt8], expected: Int32) {
        let decoder = SampleDecoder(
            spec: SampleSpec(format: format, sampleRate: 48000, channelCount: 1), maximumFrames: 4)
        (bytes + bytes).withUnsafeBytes { bytes in
            let block = decoder.decode(bytes)
            #expect(block.exactSamples.map(Array.init) == [expected, expected])
            #expect(block.copy == [Float](repeating: Float(expected) / 0x1p31, count: 2))
        }
    }

    @Test(arguments: [SampleFormat.float32LE, .float32BE])
    func passesFloatsUnchanged(format: SampleFormat) {
        let values: [Float] = [0, 1, -1, 0.1, -1.5, .leastNonzeroMagnitude, .infinity]
        let words = values.map { format == .float32LE ? $0.bitPattern.littleEndian : $0.bitPattern.bigEndian }
        let decoder = SampleDecoder(
            spec: SampleSpec(format: format, sampleRate: 48000, channelCount: 1), maximumFrames: values.count)
        words.withUnsafeBytes { bytes in
            let block = decoder.decode(bytes)
            #expect(block.copy == values)
            #expect(block.exactSamples == nil)
        }
    }
}
