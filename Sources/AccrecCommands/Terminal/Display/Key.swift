/// A key that a take is steered with.
enum Key: Equatable {
    case pause, mark, split, discard, finish, help
    /// The answer to a question.
    case yes
    /// Any other.
    case other

    /// The keys of some bytes that a terminal has sent. One that sends several bytes, such as an arrow, is none of ours,
    /// and is not taken for several.
    static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: " "): keys.append(.pause)
            case UInt8(ascii: "m"), UInt8(ascii: "M"): keys.append(.mark)
            case UInt8(ascii: "s"), UInt8(ascii: "S"): keys.append(.split)
            case UInt8(ascii: "d"), UInt8(ascii: "D"): keys.append(.discard)
            case UInt8(ascii: "q"), UInt8(ascii: "Q"): keys.append(.finish)
            case UInt8(ascii: "y"), UInt8(ascii: "Y"): keys.append(.yes)
            case UInt8(ascii: "?"), UInt8(ascii: "h"): keys.append(.help)
            case 0x1B: return keys + [.other]
            default: keys.append(.other)
            }
        }
        return keys
    }
}
