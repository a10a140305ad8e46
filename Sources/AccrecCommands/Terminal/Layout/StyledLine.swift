/// A line of the terminal, cell by cell, so that its width is exact.
struct StyledLine: Equatable {
    struct Cell: Equatable {
        /// What is written; U+0000 in the second cell of a wide character, which is written with the first.
        var scalar: Unicode.Scalar
        var ink: Ink
    }

    private(set) var cells: [Cell] = []

    init() {
        // As wide as most windows, so that it grows once.
        cells.reserveCapacity(128)
    }

    /// How many columns it takes.
    var width: Int { cells.count }

    /// What it says, without its inks.
    var text: String {
        var text = String.UnicodeScalarView()
        for cell in cells where cell.scalar != "\0" { text.append(cell.scalar) }
        return String(text)
    }

    mutating func append(_ text: String, _ ink: Ink = .plain) {
        for scalar in text.unicodeScalars { append(scalar, ink) }
    }

    /// Appends a text of ASCII so that it ends after so many columns.
    mutating func append(_ text: String, _ ink: Ink = .plain, right width: Int) {
        for _ in text.utf8.count..<max(width, text.utf8.count) { cells.append(Cell(scalar: " ", ink: ink)) }
        append(text, ink)
    }

    mutating func append(_ scalar: Unicode.Scalar, _ ink: Ink = .plain) {
        let width = DisplayWidth.columns(of: scalar)
        guard width > 0 else { return }
        cells.append(Cell(scalar: scalar, ink: ink))
        if width == 2 { cells.append(Cell(scalar: "\0", ink: ink)) }
    }

    /// Appends a character that is known to take one column.
    mutating func append(narrow scalar: Unicode.Scalar, _ ink: Ink) {
        cells.append(Cell(scalar: scalar, ink: ink))
    }

    mutating func append(_ line: StyledLine) {
        cells += line.cells
    }

    /// Appends spaces until it is so wide.
    mutating func pad(to width: Int) {
        while cells.count < width { cells.append(Cell(scalar: " ", ink: .plain)) }
    }

    /// Cuts off what is beyond so many columns, and says that something was.
    mutating func shorten(to width: Int, _ ellipsis: String) {
        guard cells.count > width else { return }
        cut(to: width - DisplayWidth.columns(of: ellipsis))
        append(ellipsis)
        cut(to: width)
    }

    /// Cuts off what is beyond so many columns; of a wide character nothing is left.
    mutating func cut(to width: Int) {
        guard cells.count > width else { return }
        let isSplit = width >= 0 && cells[max(width, 0)].scalar == "\0"
        cells.removeLast(cells.count - max(isSplit ? width - 1 : width, 0))
    }
}
