/// A page of an Ogg stream (RFC 3533, section 6), of which the checksum is right.
struct OggPage {
    /// All of it.
    private(set) var bytes: [UInt8]

    /// The longest there is, in bytes.
    static let longest = 27 + 255 + 255 * 255
    private static let checksum = CRC<UInt32>(polynomial: 0x04C1_1DB7)
    private static let checksumPlace = 22..<26

    /// Nil where no page begins there, or is not whole.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 27, bytes.starts(with: "OggS".utf8), bytes[4] == 0 else { return nil }
        let segments = bytes[27...].prefix(Int(bytes[26]))
        let count = segments.reduce(27 + Int(bytes[26])) { $0 + Int($1) }
        guard bytes.count >= count else { return nil }
        self.bytes = Array(bytes[..<count])
        guard bytes[Self.checksumPlace].elementsEqual(checked.bytes[Self.checksumPlace]) else { return nil }
    }

    /// The number of the stream that it is of.
    var stream: UInt64 { ByteOrder.little.number(bytes[14..<18]) }

    /// Whether it is the last of its stream.
    var isLast: Bool {
        get { bytes[5] & 4 != 0 }
        set { bytes[5] = newValue ? bytes[5] | 4 : bytes[5] & ~4 }
    }

    /// The page with the checksum that it has to have.
    var checked: OggPage {
        var page = self
        page.bytes.replaceSubrange(Self.checksumPlace, with: [0, 0, 0, 0])
        let value = UInt64(Self.checksum.value(of: page.bytes))
        page.bytes.replaceSubrange(Self.checksumPlace, with: ByteOrder.little.bytes(value, count: 4))
        return page
    }
}
