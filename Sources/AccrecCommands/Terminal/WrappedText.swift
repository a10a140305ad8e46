/// Lines that are broken between words, where a terminal would break them within; what follows a break is indented.
struct WrappedText {
    let lines: [String]
    /// How wide the terminal is; nil where there is none, and lines stay whole.
    let columns: Int?
    /// How many spaces are before what follows a break, in a terminal that is wide enough for it.
    let indent: Int

    /// Each line with its end. A word that is wider than the terminal is left for that to break.
    var text: String {
        lines.map { line in wrapped(line) + "\n" }.joined()
    }

    private func wrapped(_ line: String) -> String {
        guard let columns, DisplayWidth.columns(of: line) > columns else { return line }
        let indent = min(indent, columns / 8)
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
}
