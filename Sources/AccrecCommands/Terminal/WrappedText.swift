import CWideCharacter
import Glibc

/// Wraps lines between words. Continuation lines hang below the text that follows the line's label: below what comes
/// after its first two spaces or more, or else its own indentation.
struct WrappedText {
    let lines: [String]
    /// The width of the terminal; nil if there is none, and lines are not wrapped.
    let columns: Int?
    /// The indentation of continuation lines of a line that has neither.
    let indent: Int

    /// The wrapped lines with line endings. A word wider than the terminal is left whole.
    var text: String {
        lines.map { line in wrapped(line) + "\n" }.joined()
    }

    private func wrapped(_ line: String) -> String {
        guard let columns, DisplayWidth.columns(of: line) > columns else { return line }
        let indent = self.indent(of: line) ?? min(indent, columns / 3)
        var text = ""
        var width = 0
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let wordWidth = DisplayWidth.columns(of: String(word))
            if index > 0, width + 1 + wordWidth > columns {
                text += "\n" + String(repeating: " ", count: indent) + word
                width = indent + wordWidth
            } else {
                text += (index > 0 ? " " : "") + word
                width += (index > 0 ? 1 : 0) + wordWidth
            }
        }
        return text
    }

    /// Nil for a line without a label and an indentation of its own, or where no room is left beside them.
    private func indent(of line: String) -> Int? {
        let text = line.drop { $0 == " " }
        let own = line.count - text.count
        let label = text.firstRange(of: "  ").map { text[..<$0.lowerBound] } ?? ""
        let gap = text.dropFirst(label.count).prefix { $0 == " " }.count
        let place = own + DisplayWidth.columns(of: String(label)) + gap
        if !label.isEmpty, let columns, place <= columns / 2 { return place }
        return own == 0 ? nil : label.isEmpty ? own : own + 2
    }
}

/// Computes how many columns text occupies on a terminal.
enum DisplayWidth {
    /// Whether `wcwidth` is usable, which needs a locale with all characters.
    private static let isPrepared = setlocale(LC_CTYPE, "C.UTF-8") != nil

    /// 2 for a wide character, 0 for a combining one, otherwise 1.
    static func columns(of scalar: Unicode.Scalar) -> Int {
        if (0x20..<0x7F).contains(scalar.value) { return 1 }
        return isPrepared ? max(Int(wcwidth(wchar_t(bitPattern: scalar.value))), 0) : 1
    }

    /// The width of a text in columns.
    static func columns(of text: String) -> Int {
        text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
            ? text.utf8.count : text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }
}
