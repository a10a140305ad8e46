import ACCAudioRecorder

/// The level meter's one line: what is drawn, as a function of what is known. ASCII only.
///
/// `REC 0:12.3 [#########=====|     ] -18.2 peak -9.1 dBFS`, with one bar a channel up to two channels, and
/// one bar of the loudest channel beyond. `#` reaches to the RMS and `=` to the peak of the last buffer,
/// `|` is the highest peak of the last seconds.
struct MeterLine {
    /// The quietest level that the scale shows, in dBFS; it ends at 0.
    static let scaleFloor: Float = -60

    private let hold: PeakHold
    private let levels: RecordingLevels

    init(levels: RecordingLevels, hold: PeakHold) {
        self.levels = levels
        self.hold = hold
    }

    /// The line, never longer than `columns`.
    func text(columns: Int) -> String {
        let bars = shownChannels
        let loudest = levels.channels.max { $0.rmsDecibels < $1.rmsDecibels } ?? ChannelLevel()
        let head = "REC \(TimeText.clock(levels.timestamp, decimals: 1)) "
        let clipped = levels.totalClippedCount > 0 ? " CLIP \(levels.totalClippedCount)" : ""
        let rms = padded(DecibelText.short(loudest.rmsDecibels), to: 6)
        let tail = "\(rms) peak \(padded(DecibelText.short(hold.highest), to: 6)) dBFS\(clipped)"
        let room = columns - head.count - tail.count - 3 * bars.count
        guard room >= 6 * bars.count else { return String((head + tail).prefix(columns)) }
        let width = min(room / bars.count, 60)
        return head + bars.map { "[\(bar(of: $0, width: width))] " }.joined() + tail
    }

    /// Each of one or two channels; of more, the one with the highest held peak.
    private var shownChannels: [Int] {
        let all = Array(levels.channels.indices)
        if all.count <= 2 { return all }
        return all.max { hold.decibels[$0] < hold.decibels[$1] }.map { [$0] } ?? []
    }

    private func bar(of channel: Int, width: Int) -> String {
        let level = levels.channels[channel]
        let rms = cells(level.rmsDecibels, width: width)
        let peak = cells(level.peakDecibels, width: width)
        let held = cells(hold.decibels[channel], width: width)
        return String(
            (1...width).map { cell -> Character in
                if cell <= rms { return "#" }
                if cell <= peak { return "=" }
                return cell == held ? "|" : " "
            })
    }

    private func cells(_ decibels: Float, width: Int) -> Int {
        let part = (decibels - Self.scaleFloor) / -Self.scaleFloor
        return Int((min(max(part, 0), 1) * Float(width)).rounded())
    }

    private func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - text.count, 0)) + text
    }
}
