/// Makes external text, such as the name of a device or file, safe to print.
///
/// All messages, tables and the meter of the command use it, at the point of printing, and text files of markers.
package enum PrintableText {
    /// The text on one line, with a question mark for each character that a terminal would interpret or cannot show.
    ///
    /// - Parameter isUTF8: Whether the terminal shows UTF-8; otherwise only ASCII is kept.
    package static func line(_ text: String, isUTF8: Bool = true) -> String {
        guard !isPrintable(text, isUTF8: isUTF8) else { return text }
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { printable.append(isPrintable(scalar, isUTF8: isUTF8) ? scalar : "?") }
        return String(printable)
    }

    /// Whether the text can be printed unchanged.
    package static func isPrintable(_ text: String, isUTF8: Bool = true) -> Bool {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            || text.unicodeScalars.allSatisfy { isPrintable($0, isUTF8: isUTF8) }
    }

    /// Whether a character is harmless: not a control character, not a change of text direction, and not invisible. The
    /// two joiners are allowed, because scripts and emoji need them.
    package static func isPrintable(_ scalar: Unicode.Scalar, isUTF8: Bool = true) -> Bool {
        if (0x20..<0x7F).contains(scalar.value) { return true }
        guard isUTF8 else { return false }
        if scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
