/// The lines of the meter, one to four depending on the window: status, levels, scale, and details or the list of keys.
///
/// Lines that rarely change are cached.
struct MeterFrame {
    let style: TerminalStyle
    private var bottom = KeptLines<Bottom>()
    private var scale = KeptLines<LevelBarLayout>()

    private static let maximumLines = 4

    /// The content of the last lines.
    private enum Bottom: Equatable {
        case details(DetailsLine, columns: Int)
        case keys(KeyLines, columns: Int)
    }

    init(style: TerminalStyle) {
        self.style = style
    }

    /// The lines of the meter. Leaves a row for the shell, and keeps each line narrower than the window, because a
    /// terminal may move to the next row after writing the last column.
    ///
    /// - Parameter graph: Drawn below if there is room.
    mutating func lines(of status: TakeStatus, graph: LevelGraph? = nil, in window: WindowSize) -> [StyledLine] {
        let columns = max(window.columns - 1, 1)
        let rows = min(max(window.rows - 1, 1), Self.maximumLines)
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

/// Caches lines until what they show changes.
struct KeptLines<Content: Equatable> {
    private var content: Content?
    private var lines: [StyledLine] = []

    mutating func lines(of content: Content, layOut: () -> [StyledLine]) -> [StyledLine] {
        if self.content != content {
            lines = layOut()
            self.content = content
        }
        return lines
    }
}
