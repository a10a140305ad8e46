/// A key that controls a prompted batch.
enum PromptKey: Equatable, CaseIterable {
    /// Starts the take, ends it, or goes on to the next one.
    case go
    case again, skip, back, listen, quit
    /// Any other.
    case other

    /// The keys for bytes from a terminal. A key that sends several bytes, such as an arrow key, is a single `other`.
    static func keys(in bytes: some Sequence<UInt8>) -> [PromptKey] {
        var keys: [PromptKey] = []
        for byte in bytes {
            switch UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"): keys.append(.go)
            case UInt8(ascii: "r"): keys.append(.again)
            case UInt8(ascii: "s"): keys.append(.skip)
            case UInt8(ascii: "b"): keys.append(.back)
            case UInt8(ascii: "l"): keys.append(.listen)
            case UInt8(ascii: "q"): keys.append(.quit)
            case 0x1B: return keys + [.other]
            default: keys.append(.other)
            }
        }
        return keys
    }
}
