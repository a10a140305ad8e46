/// The header of a FLAC frame (RFC 9639, section 9.1) with a valid checksum.
struct FLACFrameHeader {
    /// The number of audio frames in it.
    let blockSize: Int
    /// The number of the FLAC frame, or of its first audio frame if block sizes vary.
    let number: UInt64
    let hasVariableBlocks: Bool
    /// The size of the header in bytes.
    let byteCount: Int
    /// The sample rate in Hz; nil if it is not stated by a code.
    private let sampleRate: Int?
    /// The channel count and the sample size code, which are the same in all frames.
    private let form: [UInt8]

    /// The maximum size of a header in bytes.
    static let longest = 16
    private static let checksum = CRC<UInt8>(polynomial: 0x07)

    /// Nil if this is not a header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 6, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8, bytes[3] & 1 == 0 else { return nil }
        hasVariableBlocks = bytes[1] & 1 == 1
        // Codes above 7 say how two channels are derived from each other, which changes from frame to frame.
        let (channels, sampleSize) = (bytes[3] >> 4, bytes[3] >> 1 & 7)
        guard channels < 11, sampleSize != 3 else { return nil }
        form = [channels < 8 ? channels + 1 : 2, sampleSize]
        // The number is coded like a UTF-8 character, but may be longer.
        let (ones, order) = ((~bytes[4]).leadingZeroBitCount, ByteOrder.big)
        let numberLength = max(ones, 1)
        guard ones != 1, ones < 8, bytes.count >= 4 + numberLength else { return nil }
        let first = UInt64(ones == 0 ? bytes[4] : ones < 7 ? bytes[4] & (0x7F >> UInt8(ones)) : 0)
        let following = bytes[5..<(4 + numberLength)]
        guard following.allSatisfy({ $0 & 0xC0 == 0x80 }) else { return nil }
        number = following.reduce(first) { $0 << 6 | UInt64($1 & 0x3F) }

        let (sizeCode, rateCode) = (bytes[2] >> 4, bytes[2] & 0x0F)
        let sizeLength = sizeCode == 6 ? 1 : sizeCode == 7 ? 2 : 0
        let rateLength = rateCode == 12 ? 1 : rateCode == 13 || rateCode == 14 ? 2 : 0
        let sizeStart = 4 + numberLength
        let end = sizeStart + sizeLength + rateLength
        guard rateCode != 15, bytes.count > end, Self.checksum.value(of: bytes[...end]) == 0 else { return nil }
        switch sizeCode {
        case 0: return nil
        case 1: blockSize = 192
        case 2...5: blockSize = 144 << Int(sizeCode)
        case 6, 7: blockSize = Int(order.number(bytes[sizeStart..<(sizeStart + sizeLength)])) + 1
        default: blockSize = 1 << Int(sizeCode)
        }
        byteCount = end + 1
        sampleRate = Self.sampleRates[Int(rateCode)]
    }

    /// The meaning of the codes.
    private static let sampleRates = [
        1: 88_200, 2: 176_400, 3: 192_000, 4: 8_000, 5: 16_000, 6: 22_050, 7: 24_000, 8: 32_000, 9: 44_100, 10: 48_000,
        11: 96_000,
    ]
    private static let sampleSizes: [UInt8: Int] = [1: 8, 2: 12, 4: 16, 5: 20, 6: 24, 7: 32]

    /// Whether the frame may belong to a stream with this format.
    func agrees(sampleRate: Int, channelCount: Int, bits: Int) -> Bool {
        self.sampleRate ?? sampleRate == sampleRate && Int(form[0]) == channelCount
            && Self.sampleSizes[form[1]] ?? bits == bits
    }

    /// Whether `next` has the number of the frame after this one. Encoders before FLAC 1.2.1 counted audio frames where
    /// block sizes vary, and had no mark for it.
    func precedes(_ next: FLACFrameHeader) -> Bool {
        next.number == number + UInt64(blockSize) || !hasVariableBlocks && next.number == number + 1
    }

    /// Whether the other frame may belong to the same stream.
    func isLike(_ other: FLACFrameHeader) -> Bool {
        other.hasVariableBlocks == hasVariableBlocks && other.form == form
            && other.sampleRate ?? sampleRate == sampleRate ?? other.sampleRate
    }
}
