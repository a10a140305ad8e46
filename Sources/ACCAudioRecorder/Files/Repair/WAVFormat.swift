/// The `fmt ` chunk of a WAV or Wave64 file.
struct WAVFormat {
    let sampleRate: Int
    /// The size in bytes of a frame; 1 if frames are packed.
    let frameSize: Int
    /// Whether frames are packed into blocks of any size, and so cannot be counted by their size.
    let isPacked: Bool

    /// PCM, floating point, A-law and µ-law, with the valid sample sizes in bits.
    private static let unpacked: [Int: ClosedRange<Int>] = [1: 1...32, 3: 32...64, 6: 8...8, 7: 8...8]
    /// Microsoft and IMA ADPCM, GSM 6.10, G.721, MPEG, MP3, AAC, WMA and AC-3.
    private static let packed: Set<Int> = [0x02, 0x11, 0x31, 0x40, 0x50, 0x55, 0xFF, 0x161, 0x2000]
    /// The code of the extensible form, which has the real code in its extension.
    private static let extensible = 0xFFFE
    /// What follows the code in the extension: for Microsoft's own formats and for Ambisonics.
    private static let extensions: [[UInt8]] = [
        [0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71],
        [0x00, 0x00, 0x21, 0x07, 0xD3, 0x11, 0x86, 0x44, 0xC8, 0xC1, 0xCA, 0x00, 0x00, 0x00],
    ]
    /// The maximum number of bytes to read.
    static let longest = 40

    /// Nil if it is too short or inconsistent.
    init?(_ bytes: [UInt8]) {
        func number(_ range: Range<Int>) -> Int { Int(ByteOrder.little.number(bytes[range])) }
        guard bytes.count >= 16 else { return nil }
        let (channels, bits) = (number(2..<4), number(14..<16))
        sampleRate = number(4..<8)
        let blockSize = number(12..<14)
        var code = number(0..<2)
        if code == Self.extensible {
            guard bytes.count >= 40, number(18..<20) <= bits, Self.extensions.contains(Array(bytes[26..<40])) else {
                return nil
            }
            code = number(24..<26)
        }
        guard ChunkLayout.channelCounts.contains(channels), blockSize > 0, sampleRate > 0, sampleRate <= Int32.max
        else { return nil }
        if let possible = Self.unpacked[code] {
            guard possible.contains(bits), blockSize == channels * ((bits + 7) / 8) else { return nil }
            (isPacked, frameSize) = (false, blockSize)
        } else {
            guard Self.packed.contains(code) else { return nil }
            // The stated size is none of MP3 and AC-3, and decoders read a part of a block, too.
            (isPacked, frameSize) = (true, 1)
        }
    }
}
