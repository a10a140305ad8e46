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
