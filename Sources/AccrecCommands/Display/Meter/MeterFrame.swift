/// The lines of the meter, as many as the window has room for: status, the times of an interruption if the status has
/// no room for them, levels, scale, and details or the list of keys.
///
/// Lines that rarely change are cached.
struct MeterFrame {
    /// What the layout of levels depends on.
    private struct LevelPlace: Equatable {
        let labels: [String]
        let columns: Int
        let rows: Int
        let isDimmed: Bool
    }

    let style: TerminalStyle
    private var bottom: (content: Bottom, lines: [StyledLine])?
    private var place: LevelPlace?
    /// The bars in that place; nil if they would be too short.
    private var layout: LevelBars.Layout?
    private var scale: [StyledLine] = []

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
    mutating func lines(of status: RecordingStatus, graph: LevelGraph? = nil, in window: WindowSize) -> [StyledLine] {
        let columns = max(window.columns - 1, 1)
        let rows = max(window.rows - 1, 1)
        guard rows > 1 else { return [singleLine(of: status, columns: columns)] }
        let statusLine = StatusLine(status: status, style: style)
        var lines = [statusLine.line(columns: columns)]
        let bottom = bottom(of: status, columns: columns, rows: rows - 1)
        lines += levels(of: status, columns: columns, rows: rows - 1 - bottom.count)
        lines += bottom
        if lines.count < rows, let times = statusLine.times(missingIn: lines[0], columns: columns) {
            lines.insert(times, at: 1)
        }
        return lines + (graph?.lines(columns: columns, rows: rows - lines.count, style: style) ?? [])
    }

    private mutating func bottom(of status: RecordingStatus, columns: Int, rows: Int) -> ArraySlice<StyledLine> {
        guard status.prompt == .details else {
            let keys = KeyLines(status)
            return keep(.keys(keys, columns: columns)) { keys.lines(columns: columns) }.prefix(rows)
        }
        guard rows > 1 else { return [] }
        let details = DetailsLine(status, style: style)
        return keep(.details(details, columns: columns)) { [details.line(columns: columns)] }[...]
    }

    /// The last lines, laid out again only if they show something else than before.
    private mutating func keep(_ content: Bottom, layOut: () -> [StyledLine]) -> [StyledLine] {
        if let bottom, bottom.content == content { return bottom.lines }
        let lines = layOut()
        bottom = (content, lines)
        return lines
    }

    /// The levels and their scale. Before the first levels, the bars are empty.
    private mutating func levels(of status: RecordingStatus, columns: Int, rows: Int) -> [StyledLine] {
        let channels = status.shownChannels
        guard rows > 0, !channels.isEmpty else { return [] }
        let place = LevelPlace(
            labels: status.shownLabels, columns: columns, rows: rows, isDimmed: status.levelsAreUnrecorded)
        if place != self.place {
            self.place = place
            layout = LevelBars.Layout(
                labels: place.labels, columns: columns, rows: max(rows - 1, 1), glyphs: style.glyphs,
                isDimmed: place.isDimmed)
            scale = layout.map { [$0.scale] } ?? []
        }
        guard let layout else {
            return LevelColumns(
                channels: channels, labels: place.labels, style: style, rows: columnRows(of: rows), columns: columns,
                isDimmed: place.isDimmed
            ).lines
        }
        let bars = LevelBars(channels: channels, style: style, layout: layout, isDimmed: place.isDimmed)
        return bars.lines + (rows > 1 ? scale : [])
    }

    /// The rows of level columns, which could take all there are. One is left for messages, beside that of the shell.
    private func columnRows(of rows: Int) -> Int {
        min(rows > 3 ? rows - 1 : rows, LevelColumns.maximumRows)
    }

    private mutating func singleLine(of status: RecordingStatus, columns: Int) -> StyledLine {
        guard status.prompt == .details else { return KeyLines(status).lines(columns: columns)[0] }
        var line = StatusLine(status: status, style: style).shortLine(columns: columns)
        let room = columns - line.width - 2
        guard room > 0 else { return line }
        line.append("  ")
        let levels = levels(of: status, columns: room, rows: 1)
        levels.forEach { line.append($0) }
        return line
    }
}

/// Draws the meter at the bottom of the terminal, and messages above it. Never blocks on the terminal.
struct LiveMeter: ~Copyable {
    private var terminal: TerminalOutput
    private var frame: MeterFrame
    private var display: LiveDisplay

    /// Nil if the terminal cannot be opened.
    ///
    /// - Parameter isLarge: Whether it is to fill the window.
    init?(style: TerminalStyle, isLarge: Bool) {
        guard let terminal = TerminalOutput() else { return nil }
        self.terminal = terminal
        frame = MeterFrame(style: style)
        display = LiveDisplay(hasColor: style.hasColor, usesSecondScreen: isLarge)
    }

    /// Whether the terminal has not accepted all output yet. Tries to write the rest.
    var isBehind: Bool {
        mutating get { terminal.isBehind }
    }

    /// Draws what has changed, in one write. Skipped while the terminal is behind, because an outdated frame is
    /// useless.
    mutating func draw(_ status: RecordingStatus, graph: LevelGraph?) {
        guard !terminal.isBehind else { return }
        let picture = picture(of: status, graph: graph)
        if !picture.isEmpty { terminal.write(picture) }
    }

    /// Writes lines, each with its line ending, above the meter.
    mutating func tell(_ lines: String, above status: RecordingStatus, graph: LevelGraph?) {
        let text = display.insert(lines, in: StandardError.window)
        terminal.write(text + picture(of: status, graph: graph))
    }

    /// Removes the meter from the screen.
    ///
    /// - Returns: Output that the terminal has not accepted yet.
    consuming func end() -> [UInt8] {
        terminal.write(display.end(in: StandardError.window))
        return terminal.end()
    }

    /// The output that updates the screen. Asks for the window's size each time, because the one before a resize would
    /// put lines in wrong places until the signal about it arrives.
    private mutating func picture(of status: RecordingStatus, graph: LevelGraph?) -> String {
        let window = StandardError.window
        return display.update(frame.lines(of: status, graph: graph, in: window), in: window)
    }
}
