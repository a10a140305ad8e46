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
        let width = DisplayWidth.columns(of: scalar)
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
    mutating func pad(to width: Int) {
        while cells.count < width { cells.append(Cell(scalar: " ", ink: .plain)) }
    }

    /// Shortens the line to a width, marking the omission with an ellipsis.
    mutating func shorten(to width: Int, _ ellipsis: String) {
        guard cells.count > width else { return }
        cut(to: width - DisplayWidth.columns(of: ellipsis))
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
