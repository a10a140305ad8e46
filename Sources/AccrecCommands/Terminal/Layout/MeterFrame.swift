/// What the meter shows, as lines: one to four, by what the window offers.
///
/// Status, levels, their scale, and details, or in place of the last ones what keys do. Lines that are the same for most of
/// a take are kept from one time to the next.
struct MeterFrame {
    let style: TerminalStyle
    private var bottom = KeptLines<Bottom>()
    private var scale = KeptLines<LevelBarLayout>()

    private static let mostLines = 4

    /// What the last lines show.
    private enum Bottom: Equatable {
        case details(DetailsLine, columns: Int)
        case keys(KeyLines, columns: Int)
    }

    init(style: TerminalStyle) {
        self.style = style
    }

    /// No more lines than the window has room for beside one of the shell's, and none as wide as the window, for a
    /// terminal whose last column is written to may go on to the next row.
    ///
    /// - Parameter graph: Drawn below, where the window has room for it.
    mutating func lines(of status: TakeStatus, graph: LevelGraph? = nil, in window: WindowSize) -> [StyledLine] {
        let columns = max(window.columns - 1, 1)
        let rows = min(max(window.rows - 1, 1), Self.mostLines)
        guard rows > 1 else { return [singleLine(of: status, columns: columns)] }
        var lines = [StatusLine(status: status, style: style).line(columns: columns)]
        let bottom = bottom(of: status, columns: columns, rows: rows - 1)
        lines += levels(status.channels, columns: columns, rows: rows - 1 - bottom.count)
        lines += bottom
        return lines + (graph?.lines(columns: columns, rows: window.rows - 1 - lines.count, style: style) ?? [])
    }

    private mutating func bottom(of status: TakeStatus, columns: Int, rows: Int) -> ArraySlice<StyledLine> {
        guard status.prompt == .details else {
            let keys = KeyLines(status)
            return bottom.lines(of: .keys(keys, columns: columns)) { keys.lines(columns: columns) }.prefix(rows)
        }
        guard rows > 1 else { return [] }
        let details = DetailsLine(status, style: style)
        return bottom.lines(of: .details(details, columns: columns)) { [details.line(columns: columns)] }[...]
    }

    private mutating func levels(_ channels: [ChannelStatus], columns: Int, rows: Int) -> [StyledLine] {
        guard rows > 0, !channels.isEmpty else { return Array(repeating: StyledLine(), count: rows) }
        guard let layout = LevelBarLayout(channelCount: channels.count, columns: columns) else {
            return LevelColumns(channels: channels, style: style, rows: rows, columns: columns).lines
        }
        let bars = LevelBars(channels: channels, style: style, layout: layout).line
        return rows > 1 ? [bars] + scale.lines(of: layout) { [layout.scale] } : [bars]
    }

    private func singleLine(of status: TakeStatus, columns: Int) -> StyledLine {
        guard status.prompt == .details else { return KeyLines(status).lines(columns: columns)[0] }
        var line = StatusLine(status: status, style: style).shortLine(columns: columns)
        let room = columns - line.width - 2
        guard room > 0 else { return line }
        line.append("  ")
        if let layout = LevelBarLayout(channelCount: status.channels.count, columns: room) {
            line.append(LevelBars(channels: status.channels, style: style, layout: layout).line)
        } else {
            let levels = LevelColumns(channels: status.channels, style: style, rows: 1, columns: room)
            levels.lines.forEach { line.append($0) }
        }
        return line
    }
}
