/// A scrolling graph of recent levels. Each column is the highest peak in its interval.
struct LevelGraph {
    /// The duration of a column, in seconds.
    static let interval = 0.25
    private static let capacity = 500
    private static let maximumRows = 12
    private static let axis = 5

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

    /// The graph with as many rows as fit, up to twelve; empty if there is too little room.
    func lines(columns: Int, rows: Int, style: TerminalStyle) -> [StyledLine] {
        let rows = min(rows, Self.maximumRows)
        guard rows >= 3, columns > Self.axis * 2 else { return [] }
        let shown = peaks.suffix(columns - Self.axis)
        return (0..<rows).map { row in
            var line = StyledLine()
            line.append(label(row, of: rows), .faint)
            line.pad(to: columns - shown.count)
            for peak in shown {
                let scalar = style.glyphs.column(filledTo: LevelScale.part(peak), row: row, of: rows)
                line.append(scalar, LevelScale.ink(peak))
            }
            return line
        }
    }

    /// The level at the top of a row, in dBFS.
    private func label(_ row: Int, of rows: Int) -> String {
        let text = "\(Int((LevelScale.floor * Float(row) / Float(rows)).rounded()))"
        return String(repeating: " ", count: 3 - text.utf8.count) + text + " "
    }
}
