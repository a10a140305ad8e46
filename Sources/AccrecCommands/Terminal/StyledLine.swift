import CWideCharacter
import Glibc

/// A line on the terminal as a list of cells, so that its width is exact.
struct StyledLine: Equatable {
    struct Cell: Equatable {
        /// The character; U+0000 in the second cell of a wide one.
        var scalar: Unicode.Scalar
        var ink: Ink
    }

    private(set) var cells: [Cell] = []

    init() {
        // Enough for most windows.
        cells.reserveCapacity(128)
    }

    /// The width in columns.
    var width: Int { cells.count }

    /// The text without styles.
    var text: String {
        var text = String.UnicodeScalarView()
        for cell in cells where cell.scalar != "\0" { text.append(cell.scalar) }
        return String(text)
    }

    mutating func append(_ text: String, _ ink: Ink = .plain) {
        for scalar in text.unicodeScalars { append(scalar, ink) }
    }

    /// Appends text of narrow characters, right-aligned in this number of columns.
    mutating func append(_ text: String, _ ink: Ink = .plain, right width: Int) {
        let length = text.unicodeScalars.count
        for _ in length..<max(width, length) { cells.append(Cell(scalar: " ", ink: ink)) }
        append(text, ink)
    }

    mutating func append(_ scalar: Unicode.Scalar, _ ink: Ink = .plain) {
        let width = scalar.displayWidth
        guard width > 0 else { return }
        cells.append(Cell(scalar: scalar, ink: ink))
        if width == 2 { cells.append(Cell(scalar: "\0", ink: ink)) }
    }

    /// Appends a character that is known to be one column wide.
    mutating func append(narrow scalar: Unicode.Scalar, _ ink: Ink) {
        cells.append(Cell(scalar: scalar, ink: ink))
    }

    mutating func append(_ cells: ArraySlice<Cell>) {
        self.cells += cells
    }

    mutating func append(_ line: StyledLine) {
        cells += line.cells
    }

    /// Appends spaces up to a width.
    mutating func pad(to width: Int, _ ink: Ink = .plain) {
        while cells.count < width { cells.append(Cell(scalar: " ", ink: ink)) }
    }

    /// Shortens the line to a width, marking the omission with an ellipsis.
    mutating func shorten(to width: Int, _ ellipsis: String) {
        guard cells.count > width else { return }
        cut(to: width - ellipsis.displayWidth)
        append(ellipsis)
        cut(to: width)
    }

    /// Cuts the line at a width. A wide character that would be cut in half is removed.
    mutating func cut(to width: Int) {
        guard cells.count > width else { return }
        let isSplit = width >= 0 && cells[max(width, 0)].scalar == "\0"
        cells.removeLast(cells.count - max(isSplit ? width - 1 : width, 0))
    }
}

extension StyledLine {
    /// The style of a cell. It never carries meaning alone: shapes and words say the same.
    enum Ink: UInt8 {
        case plain, faint, strong
        /// Levels: well below full scale, near it, and very near it.
        case low, middle, high
        /// Warnings.
        case alarm

        /// The escape sequence (ECMA-48, select graphic rendition), which resets other styles first.
        var code: String {
            switch self {
            case .plain: "\u{1B}[m"
            case .faint: "\u{1B}[0;2m"
            case .strong: "\u{1B}[0;1m"
            case .low: "\u{1B}[0;32m"
            case .middle: "\u{1B}[0;33m"
            case .high: "\u{1B}[0;31m"
            case .alarm: "\u{1B}[0;1;31m"
            }
        }
    }
}

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
        guard let columns, line.displayWidth > columns else { return line }
        let indent = self.indent(of: line) ?? min(indent, columns / 3)
        var text = ""
        var width = 0
        for (index, word) in line.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            let wordWidth = String(word).displayWidth
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
        let place = own + String(label).displayWidth + gap
        if !label.isEmpty, let columns, place <= columns / 2 { return place }
        return own == 0 ? nil : label.isEmpty ? own : own + 2
    }
}

// MARK: - How many columns text takes on a terminal

/// Whether `wcwidth` is usable, which needs a locale with all characters.
private let knowsWidths = setlocale(LC_CTYPE, "C.UTF-8") != nil

extension Unicode.Scalar {
    /// 2 for a wide character, 0 for a combining one, otherwise 1.
    var displayWidth: Int {
        if (0x20..<0x7F).contains(value) { return 1 }
        return knowsWidths ? max(Int(wcwidth(wchar_t(bitPattern: value))), 0) : 1
    }
}

extension String {
    /// The width in columns.
    var displayWidth: Int {
        utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.displayWidth }
    }
    /// The text in at most this many columns. An ellipsis stands for what is left out, before a short last word: it tells the
    /// channels of a track apart.
    func shortened(to width: Int, _ ellipsis: String) -> String {
        guard displayWidth > width else { return self }
        let room = max(width - ellipsis.displayWidth, 0)
        let lastWord = lastIndex(of: " ").map { String(self[$0...]).displayWidth } ?? 0
        let end = Self.prefix(of: unicodeScalars.reversed(), width: lastWord > 4 ? 0 : min(lastWord, room / 2))
            .reversed()
        let tail = String(String.UnicodeScalarView(end))
        let start = Self.prefix(of: unicodeScalars, width: room - tail.displayWidth)
        return String(String.UnicodeScalarView(start)) + ellipsis + tail
    }

    /// The first characters that fit into this many columns.
    private static func prefix(of scalars: some Sequence<Unicode.Scalar>, width: Int) -> [Unicode.Scalar] {
        var rest = width
        return Array(
            scalars.prefix { scalar in
                rest -= scalar.displayWidth
                return rest >= 0
            })
    }
}
