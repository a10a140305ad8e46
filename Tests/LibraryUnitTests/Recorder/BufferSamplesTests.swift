import ACCAudioRecorder
import Foundation
import Testing

/// L-02: the samples of a buffer, in the forms that a program may need them.
@Suite struct BufferSamplesTests {
    private static func buffer(_ samples: [Float], channels: UInt32 = 2) -> AudioBufferData {
        AudioBufferData(samples: samples, sampleRate: 48_000, channelCount: channels)
    }

    private static func littleEndian(_ samples: [Int16]) -> Data {
        Data(samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    }

    @Test("L-02: samples are read where they are, without a copy")
    func withoutACopy() {
        let samples = (0..<8_192).map { Float($0) }
        let buffer = Self.buffer(samples)
        #expect(buffer.withSamples { Array($0) } == samples)
        let stored = buffer.data.withUnsafeBytes { $0.baseAddress }
        #expect(buffer.withSamples { UnsafeRawPointer($0.baseAddress) } == stored)
    }

    @Test(
        "L-02: samples at any address can be read, however few", arguments: 0..<4,
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1_000])
    func atAnyAddress(offset: Int, count: Int) {
        let samples = (0..<count).map { Float($0) }
        let data = Data(repeating: 7, count: offset) + samples.withUnsafeBytes { Data($0) }
        let buffer = AudioBufferData(
            data: data[offset...], frameLength: UInt32(count), sampleRate: 48_000, channelCount: 1)
        #expect(buffer.data == data[offset...])
        #expect(buffer.withSamples { Array($0) } == samples)
        let span = buffer.samples
        let read = span.indices.map { span[$0] }
        #expect(read == samples)
        #expect(buffer.toFloatArray() == samples)
    }

    @Test("L-02: an empty buffer has no samples")
    func empty() {
        let buffer = Self.buffer([])
        #expect(buffer.withSamples { $0.count } == 0)
        #expect(buffer.toFloatArray() == [] && buffer.toFloatArray(channel: 2) == [] && buffer.toInt16Data().isEmpty)
    }

    @Test("L-02: what the closure throws is passed on")
    func throwing() {
        #expect(throws: CancellationError.self) {
            try Self.buffer([0, 0]).withSamples { _ in throw CancellationError() }
        }
    }

    @Test("L-02: channels are counted from 1")
    func channels() {
        let buffer = Self.buffer([0, 1, 2, 3, 4, 5, 6, 7, 8], channels: 3)
        #expect(buffer.toFloatArray(channel: 1) == [0, 3, 6])
        #expect(buffer.toFloatArray(channel: 3) == [2, 5, 8])
        #expect(buffer.toFloatArray(channel: 0) == nil && buffer.toFloatArray(channel: 4) == nil)
    }

    @Test("L-02: 16-bit samples are little-endian, rounded, clipped, and never NaN")
    func sixteenBits() {
        let samples: [Float] = [
            0, 1, -1, 0.5, 0x1p-15, 1.4 * 0x1p-15, 2.5 * 0x1p-15, 9, -9, .nan, .infinity, -.infinity,
        ]
        let expected: [Int16] = [0, .max, .min, 16_384, 1, 1, 2, .max, .min, 0, .max, .min]
        #expect(Self.buffer(samples).toInt16Data() == Self.littleEndian(expected))
    }

    @Test("L-02: samples of a 16-bit source come out bit for bit")
    func bitExact() async throws {
        let samples = (0..<65_536).map { Int16(truncatingIfNeeded: $0) }
        let recorder = ACCAudioRecorder(
            configuration: .init(sampleRate: 48_000, channelCount: 2),
            source: try SyntheticSource(samples: samples, sampleRate: 48_000, channelCount: 2))
        let streams = try await recorder.startRecording()
        await recorder.finishRecording()
        var data = Data()
        for await buffer in streams.buffers { data += buffer.toInt16Data() }
        #expect(data == Self.littleEndian(samples))
    }
}
