/// The byte order of numbers in a format.
enum ByteOrder: Sendable {
    case little, big

    /// The number that up to eight bytes represent.
    func number(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
        switch self {
        case .little: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        case .big: bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// The lower `count` bytes of a number.
    func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        return self == .little ? bytes : bytes.reversed()
    }
}

/// A cyclic redundancy check that starts with 0 and processes the highest bit first, as in FLAC and Ogg. The CRC of
/// data followed by its own CRC is 0.
struct CRC<Register: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private let table: [Register]

    /// - Parameter polynomial: The polynomial without its highest bit.
    init(polynomial: Register) {
        table = (0..<256).map { index in
            (0..<8).reduce(Register(index) << (Register.bitWidth - 8)) { value, _ in
                value.leadingZeroBitCount == 0 ? value << 1 ^ polynomial : value << 1
            }
        }
    }

    /// The CRC after one more byte.
    func value(_ value: Register, after byte: UInt8) -> Register {
        value << 8 ^ table[Int(UInt8(truncatingIfNeeded: value >> (Register.bitWidth - 8)) ^ byte)]
    }

    /// The CRC of these bytes.
    func value(of bytes: some Sequence<UInt8>) -> Register {
        bytes.reduce(0) { value($0, after: $1) }
    }
}
