/// A vertical bar per channel, from -60 to 0 dBFS, used when there is no room for horizontal bars. If there are more
/// channels than columns, several share one, which shows the loudest of them.
struct LevelColumns {
    let channels: [RecordingStatus.Channel]
    let labels: [String]
    let style: TerminalStyle
    /// The number of rows. From three on, the last one has the names of the channels; from two on, the scale stands to
    /// the left and the loudest channel to the right.
    let rows: Int
    let columns: Int
    /// Whether the levels are shown as not being recorded.
    var isDimmed = false

    /// More rows do not show more.
    static let maximumRows = 13

    private static let axis = 4
    private static let readout = 11
    /// The names of all positions fit.
    private static let narrowestName = 3

    var lines: [StyledLine] {
        let groups = groups
        let width = cellWidth(of: groups)
        return (0..<levelRows).map { row in
            var line = StyledLine()
            if hasAxis { line.append(LevelScale.label(ofRow: row, of: levelRows), .faint) }
            let ink = isDimmed ? .faint : LevelScale.ink(ofRow: row, of: levelRows)
            for group in groups {
                let level = group.map { channels[$0].peak }.max() ?? LevelScale.floor
                let scalar = style.glyphs.column(filledTo: LevelScale.part(level), row: row, of: levelRows)
                let hasClipped = hasClipped(group)
                for _ in 0..<width { line.append(scalar, hasClipped ? .alarm : ink) }
                if width > 1 || hasSpaces { line.append(row == 0 && hasClipped ? "!" : " ", .alarm) }
            }
            if hasReadout, let readout = readout(row, columns: columns - line.width) { line.append(readout) }
            line.cut(to: columns)
            return line
        } + (hasNames ? [names(of: groups, pitch: width + (width > 1 || hasSpaces ? 1 : 0))] : [])
    }

    private var hasNames: Bool { rows > 2 }

    private var levelRows: Int { hasNames ? rows - 1 : rows }

    private var hasAxis: Bool { rows > 1 && columns > channels.count + Self.axis }

    private var hasReadout: Bool { rows > 1 && columns >= channels.count * 2 + Self.axis + Self.readout }

    private var room: Int { columns - (hasAxis ? Self.axis : 0) - (hasReadout ? Self.readout : 0) }

    /// Whether there is a space, or a clip indicator, beside each column.
    private var hasSpaces: Bool { room >= channels.count * 2 }

    /// Up to four columns.
    private func cellWidth(of groups: [Range<Int>]) -> Int {
        min(max(room / max(groups.count, 1) - 1, 1), 4)
    }

    private var groups: [Range<Int>] {
        let size = max((channels.count + room - 1) / max(room, 1), 1)
        return stride(from: 0, to: channels.count, by: size).map { $0..<min($0 + size, channels.count) }
    }

    private func hasClipped(_ group: Range<Int>) -> Bool {
        group.contains { channels[$0].clippedCount > 0 }
    }

    /// As many names as fit, each below the beginning of its column; longer ones than those of positions are shortened to the
    /// column's width. Names give way to the clip indicator
    /// where there is no space for it beside the column.
    private func names(of groups: [Range<Int>], pitch: Int) -> StyledLine {
        let names = labels.shortened(to: max(pitch - 1, Self.narrowestName), style.glyphs.ellipsis)
        var line = StyledLine()
        let first = hasAxis ? Self.axis : 0
        line.pad(to: first)
        var lastName = first
        for (index, group) in groups.enumerated() {
            let place = first + index * pitch
            if pitch == 1, hasClipped(group) {
                // The rest of a name would be another channel's.
                if line.width > place { line.cut(to: lastName) }
                line.pad(to: place)
                line.append("!", .alarm)
            } else if line.width < place || place == first {
                line.pad(to: place)
                lastName = place
                line.append(names[group.lowerBound], .faint)
            }
        }
        line.cut(to: line.width > columns ? lastName : columns)
        return line
    }

    /// The loudest channel, by held peak.
    private func readout(_ row: Int, columns: Int) -> StyledLine? {
        guard row < 2, let index = channels.indices.max(by: { channels[$0].held < channels[$1].held }) else {
            return nil
        }
        let channel = channels[index]
        var line = StyledLine()
        if row == 0 {
            line.append("  loudest", .faint)
        } else {
            let ink = isDimmed ? .faint : LevelScale.ink(channel.held)
            let level = ": \(DecibelText.short(channel.held, style.glyphs))"
            let room = max(columns - 2 - level.displayWidth, Self.narrowestName)
            line.append("  \(labels.shortened(to: room, style.glyphs.ellipsis)[index])\(level)", ink)
        }
        return line
    }
}

/// A scrolling graph of recent levels. Each column is the highest peak in its interval.
struct LevelGraph {
    /// The duration of a column, in seconds.
    static let interval = 0.25
    private static let capacity = 500
    private static let maximumRows = 12
    private static let axis = 5
    private static let secondsPerMark = 5

    private var peaks: [Float] = []
    private var end = 0.0

    /// Adds a buffer's peak in dBFS, with the time of the buffer's end in seconds.
    mutating func append(peak: Float, at time: Double) {
        if peaks.isEmpty || time >= end {
            peaks.append(peak)
            if peaks.count > Self.capacity { peaks.removeFirst() }
            end = (time / Self.interval).rounded(.down) * Self.interval + Self.interval
        } else {
            peaks[peaks.count - 1] = max(peaks[peaks.count - 1], peak)
        }
    }

    /// The graph with as many rows as fit, up to twelve, and its axis of time; empty if there is too little room.
    func lines(columns: Int, rows: Int, style: TerminalStyle) -> [StyledLine] {
        let rows = min(rows - 1, Self.maximumRows)
        guard rows >= 3, columns > Self.axis * 2 else { return [] }
        let shown = peaks.suffix(columns - Self.axis)
        return (0..<rows).map { row in
            var line = StyledLine()
            line.append(LevelScale.label(ofRow: row, of: rows), .faint)
            line.pad(to: columns - shown.count)
            let ink = LevelScale.ink(ofRow: row, of: rows)
            for peak in shown {
                line.append(style.glyphs.column(filledTo: LevelScale.part(peak), row: row, of: rows), ink)
            }
            return line
        } + [timeAxis(columns: columns)]
    }

    /// How long ago each place was measured, counted from the right: each name ends below its column.
    private func timeAxis(columns: Int) -> StyledLine {
        let perSecond = Int(1 / Self.interval)
        var texts: [(end: Int, text: String)] = [(columns, "now")]
        var seconds = Self.secondsPerMark
        while columns - seconds * perSecond > Self.axis + 4 {
            texts.append((columns - seconds * perSecond, "-\(seconds) s"))
            seconds += Self.secondsPerMark
        }
        var line = StyledLine()
        for (end, text) in texts.reversed() {
            line.pad(to: end - text.utf8.count)
            line.append(text, .faint)
        }
        return line
    }
}
