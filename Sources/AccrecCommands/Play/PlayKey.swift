import ACCAudioRecorder

/// A key that controls a playback.
enum PlayKey: Equatable {
    case pause, stop, help
    /// Resets held peaks and clipping in the meter.
    case reset
    /// Continues at another place.
    case go(AudioPlayer.Place)
    /// Any other key.
    case other

    /// How far an arrow key goes, in seconds: left and right, down and up. The end key goes to the last step.
    private static let (step, leap) = (5.0, 60.0)

    /// The keys for bytes from a terminal.
    static func keys(in bytes: some Sequence<UInt8>) -> [PlayKey] {
        var keys: [PlayKey] = []
        var rest = Array(bytes)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "p"), UInt8(ascii: "P"): keys.append(.pause)
            case UInt8(ascii: "q"), UInt8(ascii: "Q"): keys.append(.stop)
            case UInt8(ascii: "r"), UInt8(ascii: "R"): keys.append(.reset)
            case UInt8(ascii: "?"), UInt8(ascii: "h"): keys.append(.help)
            case UInt8(ascii: "<"): keys.append(.go(.here(-leap)))
            case UInt8(ascii: ">"): keys.append(.go(.here(leap)))
            case 0x1B: keys.append(sequence(&rest))
            default: keys.append(.other)
            }
        }
        return keys
    }

    /// The key of an escape sequence, as xterm, rxvt and the Linux console send it, without its first byte.
    private static func sequence(_ bytes: inout ArraySlice<UInt8>) -> PlayKey {
        guard let kind = bytes.first, kind == UInt8(ascii: "[") || kind == UInt8(ascii: "O") else { return .other }
        bytes.removeFirst()
        var text = ""
        while let byte = bytes.popFirst() {
            text.unicodeScalars.append(Unicode.Scalar(byte))
            // The final byte of a control sequence (ECMA-48, 5.4).
            if (0x40...0x7E).contains(byte) { break }
        }
        switch text {
        case "A": return .go(.here(leap))
        case "B": return .go(.here(-leap))
        case "C": return .go(.here(step))
        case "D": return .go(.here(-step))
        case "H", "1~", "7~": return .go(.start(0))
        case "F", "4~", "8~": return .go(.end(step))
        default: return .other
        }
    }
}
