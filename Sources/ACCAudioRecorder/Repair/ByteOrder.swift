/// In which order a format has the bytes of a number.
enum ByteOrder: Sendable {
    case little, big

    /// The number that these bytes are, up to eight of them.
    func number(_ bytes: some BidirectionalCollection<UInt8>) -> UInt64 {
        switch self {
        case .little: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        case .big: bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    /// A number as so many bytes; its upper bits are left out.
    func bytes(_ number: UInt64, count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
        return self == .little ? bytes : bytes.reversed()
    }
}
