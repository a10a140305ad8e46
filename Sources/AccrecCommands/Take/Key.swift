/// A key that controls a take.
enum Key: Equatable {
    /// Enter, which starts a take that waits.
    case start
    case pause, mark, split, discard, finish, help
    /// Resets held peaks and clipping in the meter.
    case reset
    /// The answers to a question: yes, or only for the current file.
    case yes, current
    /// Any other key.
    case other

    /// The keys for bytes from a terminal. A key that sends several bytes, such as an arrow key, is a single `other`.
    static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): keys.append(.start)
            case UInt8(ascii: " "): keys.append(.pause)
            case UInt8(ascii: "m"), UInt8(ascii: "M"): keys.append(.mark)
            case UInt8(ascii: "s"), UInt8(ascii: "S"): keys.append(.split)
            case UInt8(ascii: "d"), UInt8(ascii: "D"): keys.append(.discard)
            case UInt8(ascii: "r"), UInt8(ascii: "R"): keys.append(.reset)
            case UInt8(ascii: "q"), UInt8(ascii: "Q"): keys.append(.finish)
            case UInt8(ascii: "y"), UInt8(ascii: "Y"): keys.append(.yes)
            case UInt8(ascii: "c"), UInt8(ascii: "C"): keys.append(.current)
            case UInt8(ascii: "?"), UInt8(ascii: "h"): keys.append(.help)
            case 0x1B: return keys + [.other]
            default: keys.append(.other)
            }
        }
        return keys
    }
}
