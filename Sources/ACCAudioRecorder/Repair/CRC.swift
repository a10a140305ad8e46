/// A cyclic redundancy check that begins with 0 and takes the highest bit first, as FLAC and Ogg have it. With its own
/// value appended a run of bytes gives 0.
struct CRC<Register: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private let table: [Register]

    /// - Parameter polynomial: Without its highest bit.
    init(polynomial: Register) {
        table = (0..<256).map { index in
            (0..<8).reduce(Register(index) << (Register.bitWidth - 8)) { value, _ in
                value.leadingZeroBitCount == 0 ? value << 1 ^ polynomial : value << 1
            }
        }
    }

    /// The value after one more byte.
    func value(_ value: Register, after byte: UInt8) -> Register {
        value << 8 ^ table[Int(UInt8(truncatingIfNeeded: value >> (Register.bitWidth - 8)) ^ byte)]
    }

    /// The value of these bytes.
    func value(of bytes: some Sequence<UInt8>) -> Register {
        bytes.reduce(0) { value($0, after: $1) }
    }
}
