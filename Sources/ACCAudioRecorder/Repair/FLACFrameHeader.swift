/// The header of a frame of FLAC (RFC 9639, section 9.1), of which the checksum is right.
struct FLACFrameHeader {
    /// Frames of audio in it.
    let blockSize: Int
    /// The number of the frame, or of its first sample where blocks are of different sizes.
    let number: UInt64
    let hasVariableBlocks: Bool
    /// In bytes.
    let byteCount: Int
    /// How many channels it has, and the code of their sample size, which stay.
    private let form: [UInt8]

    /// The longest there is, in bytes.
    static let longest = 16
    private static let checksum = CRC<UInt8>(polynomial: 0x07)

    /// Nil where no header begins there.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 6, bytes[0] == 0xFF, bytes[1] & 0xFE == 0xF8, bytes[3] & 1 == 0 else { return nil }
        hasVariableBlocks = bytes[1] & 1 == 1
        // The upper codes say how two channels are made one of the other, which changes from frame to frame.
        let (channels, sampleSize) = (bytes[3] >> 4, bytes[3] >> 1 & 7)
        guard channels < 11, sampleSize != 3 else { return nil }
        form = [channels < 8 ? channels + 1 : 2, sampleSize]
        // A number coded as UTF-8 codes characters, and beyond.
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
    }

    /// Whether that frame may come right after this one.
    func precedes(_ next: FLACFrameHeader) -> Bool {
        isLike(next) && next.number == number + (hasVariableBlocks ? UInt64(blockSize) : 1)
    }

    /// Whether that frame may be of the same stream.
    func isLike(_ other: FLACFrameHeader) -> Bool {
        other.hasVariableBlocks == hasVariableBlocks && other.form == form
    }
}
