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
