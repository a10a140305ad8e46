import Testing

@testable import ACCAudioRecorder

@Suite struct WAVHeaderTests {
    /// A header as libsndfile writes it, for 16-bit stereo with this many bytes of samples.
    private func written(dataLength: Int) -> [UInt8] {
        let format = Array("fmt ".utf8) + number(16, 4) + number(1, 2) + number(2, 2) + number(48_000, 4)
        let chunks =
            format + number(192_000, 4) + number(4, 2) + number(16, 2) + Array("JUNK".utf8) + number(28, 4)
            + [UInt8](repeating: 0, count: 28) + Array("data".utf8) + number(dataLength, 4)
        return Array("RIFF".utf8) + number(dataLength + chunks.count + 4, 4) + Array("WAVE".utf8) + chunks
    }

    private func number(_ value: Int, _ size: Int) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0[..<size]) }
    }

    private func value(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

    /// The header of a file with this many bytes of samples, and others after them.
    private func header(dataLength: Int, after: Int = 0, isAlwaysLarge: Bool = false) -> [UInt8] {
        let bytes = written(dataLength: dataLength)
        return WAVHeader(writtenBySoundFile: bytes, isAlwaysLarge: isAlwaysLarge).bytes(
            fileLength: bytes.count + dataLength + after)
    }

    @Test func isUnchangedWhileItsSizesSuffice() {
        let largest = Int(UInt32.max) - 72
        #expect(header(dataLength: 4_000) == written(dataLength: 4_000))
        #expect(header(dataLength: largest / 4 * 4) == written(dataLength: largest / 4 * 4))
    }

    @Test(arguments: [1 << 32, (1 << 32) + 400, 5 << 32, (7 << 32) - 4, (1 << 32) - 72])
    func statesLargeSizes(dataLength: Int) {
        let bytes = header(dataLength: dataLength)
        #expect(bytes.count == written(dataLength: 0).count)
        #expect(bytes[..<16].elementsEqual(Array("RF64".utf8) + number(-1, 4) + Array("WAVEds64".utf8)))
        #expect(value(bytes[16..<20]) == 28)
        #expect(value(bytes[20..<28]) == bytes.count + dataLength - 8)
        #expect(value(bytes[28..<36]) == dataLength && value(bytes[36..<44]) == dataLength / 4)
        #expect(value(bytes[44..<48]) == 0 && bytes[48..<72] == written(dataLength: 0)[12..<36])
        #expect(bytes[72...].elementsEqual(Array("data".utf8) + number(-1, 4)))
    }

    @Test("Chunks after the samples count in the size of the file, not in that of the samples")
    func chunksAfterTheSamples() {
        for dataLength in [(1 << 32) - 100, (3 << 32) - 4, 3 << 32] {
            let bytes = header(dataLength: dataLength, after: 1_000)
            #expect(bytes.starts(with: Array("RF64".utf8)))
            #expect(value(bytes[20..<28]) == bytes.count + dataLength + 1_000 - 8)
            #expect(value(bytes[28..<36]) == dataLength)
        }
        let small = header(dataLength: 400, after: 100)
        #expect(value(small[4..<8]) == small.count + 400 + 100 - 8 && value(small.suffix(4)) == 400)
    }

    @Test func isLargeFromTheStartIfRequested() {
        let bytes = header(dataLength: 400, isAlwaysLarge: true)
        #expect(bytes.starts(with: Array("RF64".utf8)) && value(bytes[28..<36]) == 400)
    }
}
