/// What the meter shows, as lines: one to four, by what the window offers.
///
/// Status, levels, their scale, and details, or in place of the last ones what keys do.
struct MeterFrame {
    let status: TakeStatus
    let style: TerminalStyle
    /// Drawn below, where the window has room for it.
    var graph: LevelGraph?

    private static let mostLines = 4

    /// No more lines than the window has room for beside one of the shell's, and none as wide as the window, for a
    /// terminal whose last column is written to may go on to the next row.
    func lines(in window: WindowSize) -> [StyledLine] {
        let columns = max(window.columns - 1, 1)
        let rows = min(max(window.rows - 1, 1), Self.mostLines)
        guard rows > 1 else { return [singleLine(columns: columns)] }
        var lines = [StatusLine(status: status, style: style).line(columns: columns)]
        let bottom = bottom(columns: columns, rows: rows - 1)
        lines += levels(columns: columns, rows: rows - 1 - bottom.count)
        lines += bottom
        return lines + (graph?.lines(columns: columns, rows: window.rows - 1 - lines.count, style: style) ?? [])
    }

    private func bottom(columns: Int, rows: Int) -> [StyledLine] {
        guard status.prompt == .details else {
            return Array(KeyLines(status: status).lines(columns: columns).prefix(rows))
        }
        guard rows > 1 else { return [] }
        return [DetailsLine(status: status, style: style).line(columns: columns)]
    }

    private func levels(columns: Int, rows: Int) -> [StyledLine] {
        guard rows > 0, !status.channels.isEmpty else { return Array(repeating: StyledLine(), count: rows) }
        if let bars = LevelBars(status.channels, style: style, columns: columns) {
            return rows > 1 ? [bars.line, bars.scale] : [bars.line]
        }
        return LevelColumns(channels: status.channels, style: style, rows: rows, columns: columns).lines
    }

    private func singleLine(columns: Int) -> StyledLine {
        guard status.prompt == .details else { return KeyLines(status: status).lines(columns: columns)[0] }
        var line = StatusLine(status: status, style: style).shortLine(columns: columns)
        let room = columns - line.width - 2
        guard room > 0 else { return line }
        line.append("  ")
        if let bars = LevelBars(status.channels, style: style, columns: room) {
            line.append(bars.line)
        } else {
            let levels = LevelColumns(channels: status.channels, style: style, rows: 1, columns: room)
            levels.lines.forEach { line.append($0) }
        }
        return line
    }
}
