/// The level of a take over its whole length, in a line: a column of it is the loudest peak of its time.
///
/// However long the take, a few hundred numbers are kept: when they are full, each two become one.
struct LevelPicture {
    private static let capacity = 256

    private var peaks: [Float] = []
    /// How long one of the peaks is, in seconds.
    private var interval = 0.05

    /// Takes the peak of a buffer, in dBFS, and the time of its end in the take, in seconds.
    mutating func take(peak: Float, at time: Double) {
        while Int(time / interval) >= Self.capacity {
            peaks = stride(from: 0, to: peaks.count, by: 2).map { peaks[$0..<min($0 + 2, peaks.count)].max()! }
            interval *= 2
        }
        let index = max(Int(time / interval), 0)
        // A buffer longer than an interval, or one that was missed, stands for the time before it.
        while peaks.count < index { peaks.append(peak) }
        if peaks.count == index { peaks.append(peak) } else { peaks[index] = max(peaks[index], peak) }
    }

    /// No wider than `columns`; empty before the first buffer.
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
