/// Keeps some lines at the bottom of a terminal and returns the output that updates them, limited to what has changed.
///
/// Earlier output stays above and scrolls normally. The cursor stays at the end of the last line, so that the shell's
/// prompt follows on a row of its own however the program ends. Alternatively it uses the terminal's second screen, so
/// that a resize can leave no remains above or in the scrolled rows.
struct LiveDisplay {
    let hasColor: Bool
    let usesSecondScreen: Bool
    private var drawn: [StyledLine] = []
    private var window: WindowSize?
    /// The widths of earlier lines that a smaller window has left directly above it, and that a larger one shows again.
    private var remains: [Int] = []
    /// The number of rows of the window below the cursor, at least: where the first lines were drawn is not known.
    private var rowsBelow = 0
    /// Whether the second screen is shown.
    private var isOnSecondScreen = false
    /// What was written to the second screen, to be written to the first one afterwards.
    private var written = ""

    init(hasColor: Bool, usesSecondScreen: Bool = false) {
        self.hasColor = hasColor
        self.usesSecondScreen = usesSecondScreen
    }

    /// The output that replaces the displayed lines with these; empty if nothing has changed.
    ///
    /// - Parameter window: The size of the window.
    mutating func update(_ lines: [StyledLine], in window: WindowSize) -> String {
        guard !drawn.isEmpty, drawn.count == lines.count, window == self.window else {
            var text = erase(in: window)
            if usesSecondScreen, !isOnSecondScreen {
                isOnSecondScreen = true
                text = "\u{1B}[?1049h" + Self.clearing
            }
            (drawn, self.window) = (lines, window)
            rowsBelow = max(rowsBelow - lines.count, 0)
            return text + firstDrawing(of: lines)
        }
        var text = ""
        var row = lines.count - 1
        for (index, line) in lines.enumerated() where line != drawn[index] {
            text += Self.move(rows: index - row)
            row = index
            write(line, over: drawn[index], to: &text)
        }
        guard !text.isEmpty else { return "" }
        text += Self.move(rows: lines.count - 1 - row)
        text += Self.move(toColumn: lines[lines.count - 1].width)
        drawn = lines
        return text
    }

    /// The output that removes the lines and leaves the cursor where they began.
    ///
    /// - Parameter window: The current size of the window. A terminal that became narrower has wrapped the lines, and one
    ///   that became lower has moved the first ones above the window; both are undone when it becomes larger. Of
    ///   several sizes within a quarter of a second, tmux reports the first at once and the last one afterwards, but breaks
    ///   lines for each: what is drawn meanwhile may leave rows above, and no program can know where.
    private mutating func erase(in window: WindowSize) -> String {
        guard !drawn.isEmpty else { return "" }
        guard !isOnSecondScreen else {
            drawn = []
            return Self.clearing
        }
        let rows = forgetDrawnLines(in: window)
        let first = "\r" + Self.move(rows: 1 - rows) + "\u{1B}[K"
        // In two steps: when a window is cleared from its first cell, tmux moves the rows to its history.
        return first + (rows > 1 ? Self.move(rows: 1) + "\u{1B}[J" + Self.move(rows: -1) : "")
    }

    /// Computes where the lines are, as tmux places them, and what of them cannot be erased because it is above the window.
    ///
    /// - Returns: The number of rows from the first one to the cursor, including those above the window: moving up ends at
    ///   the window's first row.
    private mutating func forgetDrawnLines(in window: WindowSize) -> Int {
        let widths = remains + drawn.map(\.width)
        let rows = widths.map { max(($0 + window.columns - 1) / max(window.columns, 1), 1) }
        let count = rows.reduce(0, +)
        // Rows below the cursor go first when the window becomes lower.
        let removed = max((self.window?.rows ?? 0) - window.rows, 0)
        rowsBelow = max(rowsBelow - removed, 0)
        var rowsAbove = max(count - (window.rows - rowsBelow), 0)
        rowsBelow = rowsAbove > 0 ? window.rows : rowsBelow + count
        remains = []
        for (width, rows) in zip(widths, rows) where rowsAbove > 0 {
            // Of a line that continues in the window, only the beginning is left.
            remains.append(rows > rowsAbove ? rowsAbove * window.columns : width)
            rowsAbove -= rows
        }
        drawn = []
        return count
    }

    /// The output that writes text, with its line endings, above the lines, which must be drawn again.
    mutating func insert(_ text: String, in window: WindowSize) -> String {
        if isOnSecondScreen { written += text }
        let erasure = erase(in: window)
        // What is above the window is no longer directly above the lines, and stays there.
        (remains, rowsBelow) = ([], 0)
        return erasure + text
    }

    /// The output that removes the lines.
    mutating func end(in window: WindowSize) -> String {
        defer { (drawn, remains, rowsBelow, isOnSecondScreen, written) = ([], [], 0, false, "") }
        return isOnSecondScreen ? "\u{1B}[?1049l" + written : erase(in: window)
    }

    /// Clears the second screen and moves to its first cell.
    private static let clearing = "\u{1B}[H\u{1B}[2J"

    private func firstDrawing(of lines: [StyledLine]) -> String {
        var text = ""
        for (index, line) in lines.enumerated() {
            if index > 0 { text += "\r\n" }
            write(line.cells[...], to: &text)
        }
        return text
    }

    /// Writes the differing cells, from the first to the last of them.
    private func write(_ line: StyledLine, over old: StyledLine, to text: inout String) {
        // A row that is cleared from its middle keeps its length in tmux, which then wraps it in a narrower window.
        guard line.width >= old.width else {
            text += "\r\u{1B}[K"
            return write(line.cells[...], to: &text)
        }
        var first = 0
        let common = min(line.width, old.width)
        while first < common, line.cells[first] == old.cells[first] { first += 1 }
        // A wide character is written as a whole.
        while first > 0, first < line.width, line.cells[first].scalar == "\0" { first -= 1 }
        var end = line.width
        if line.width == old.width {
            while end > first, line.cells[end - 1] == old.cells[end - 1] { end -= 1 }
            while end < line.width, line.cells[end].scalar == "\0" { end += 1 }
        }
        text += Self.move(toColumn: first)
        write(line.cells[first..<end], to: &text)
    }

    private func write(_ cells: ArraySlice<StyledLine.Cell>, to text: inout String) {
        var ink = StyledLine.Ink.plain
        for cell in cells where cell.scalar != "\0" {
            if hasColor, cell.ink != ink {
                text += cell.ink.code
                ink = cell.ink
            }
            text.unicodeScalars.append(cell.scalar)
        }
        if ink != .plain { text += StyledLine.Ink.plain.code }
    }

    private static func move(rows: Int) -> String {
        rows == 0 ? "" : rows < 0 ? "\u{1B}[\(-rows)A" : "\u{1B}[\(rows)B"
    }

    private static func move(toColumn column: Int) -> String {
        column == 0 ? "\r" : "\r\u{1B}[\(column)C"
    }
}
