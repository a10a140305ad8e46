/// The level over the whole take as a single line. Each column is the highest peak in its interval.
///
/// Memory is bounded: when all slots are used, adjacent ones are merged.
struct LevelOverview {
    private static let capacity = 256

    private var peaks: [Float] = []
    /// The duration of a slot, in seconds.
    private var interval = 0.05

    /// Adds a buffer's peak in dBFS, with the time of the buffer's end in the take, in seconds.
    mutating func append(peak: Float, at time: Double) {
        while Int(time / interval) >= Self.capacity {
            peaks = stride(from: 0, to: peaks.count, by: 2).map { peaks[$0..<min($0 + 2, peaks.count)].max()! }
            interval *= 2
        }
        let index = max(Int(time / interval), 0)
        // A buffer that is longer than an interval, or follows a missed one, fills the slots before it.
        while peaks.count < index { peaks.append(peak) }
        if peaks.count == index { peaks.append(peak) } else { peaks[index] = max(peaks[index], peak) }
    }

    /// The overview, at most `columns` wide; empty before the first buffer.
    func text(columns: Int, glyphs: Glyphs) -> String {
        let width = min(columns, peaks.count)
        var text = String.UnicodeScalarView()
        for column in 0..<width {
            let first = column * peaks.count / width
            let peak = peaks[first..<(column + 1) * peaks.count / width].max()!
            text.append(glyphs.column(filledTo: LevelScale.part(peak), row: 0, of: 1))
        }
        return String(text)
    }
}
