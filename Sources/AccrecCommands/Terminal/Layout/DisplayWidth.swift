import CWideCharacter
import Glibc

/// How many columns a terminal takes for text.
enum DisplayWidth {
    /// The C library knows the width of every character, in a locale that has them all.
    private static let isPrepared = setlocale(LC_CTYPE, "C.UTF-8") != nil

    /// 1, 2 for a wide character, 0 for one that joins the one before.
    static func columns(of scalar: Unicode.Scalar) -> Int {
        if (0x20..<0x7F).contains(scalar.value) { return 1 }
        return isPrepared ? max(Int(wcwidth(wchar_t(bitPattern: scalar.value))), 0) : 1
    }

    /// How many columns a text takes.
    static func columns(of text: String) -> Int {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// A text of somebody else's, such as a file's or a device's name, that does nothing but stand there: what a
    /// terminal would act upon, or could not show, becomes a question mark.
    static func printable(_ text: String, isUTF8: Bool) -> String {
        var printable = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isShown = isUTF8 ? !scalar.properties.isControl : (0x20..<0x7F).contains(scalar.value)
            printable.append(isShown ? scalar : "?")
        }
        return String(printable)
    }
}

extension Unicode.Scalar.Properties {
    /// Whether it is no character to be seen: control, format (which turns the direction of a line) and the like.
    fileprivate var isControl: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        default: false
        }
    }
}
