/// A key that somebody who is recorded steers the takes with.
enum PromptKey: Equatable, CaseIterable {
    /// Begins the take, ends it, and goes on to the next one.
    case go
    case again, skip, back, listen, quit
    /// Any other.
    case other

    /// The keys of some bytes that a terminal has sent. One that sends several bytes, such as an arrow, is none of ours,
    /// and is not taken for several.
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
