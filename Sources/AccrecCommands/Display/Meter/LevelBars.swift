/// A bar per channel, showing RMS, peak and held peak. The cell behind it is the clip indicator, which stays on. RMS and
/// held peak in dBFS follow if there is room.
struct LevelBars {
    let channels: [ChannelStatus]
    let labels: [String]
    let style: TerminalStyle
    let layout: LevelBarLayout
    /// Whether the levels are shown as not being recorded.
    var isDimmed = false

    /// The rows, which the channels fill one column of bars after the other.
    var lines: [StyledLine] {
        let rows = layout.rows
        return (0..<rows).map { row in
            var line = StyledLine()
            for index in stride(from: row, to: channels.count, by: rows) {
                if index > row { line.append("  ") }
                append(channels[index], named: labels[index], to: &line)
            }
            return line
        }
    }

    private func append(_ channel: ChannelStatus, named label: String, to line: inout StyledLine) {
        let glyphs = style.glyphs
        line.append(label, .faint)
        for _ in label.utf8.count..<layout.label { line.append(narrow: " ", .faint) }
        line.append(glyphs.barStart, .faint)
        append(barOf: channel, to: &line)
        line.append(glyphs.barEnd, .faint)
        line.append(channel.clippedCount > 0 ? "!" : " ", .alarm)
        if layout.hasRMS { line.append(DecibelText.short(channel.rms, glyphs), isDimmed ? .faint : .plain, right: 7) }
        if layout.hasPeak {
            line.append(
                DecibelText.short(channel.held, glyphs), isDimmed ? .faint : LevelScale.ink(channel.held), right: 7)
        }
    }

    private func append(barOf channel: ChannelStatus, to line: inout StyledLine) {
        let rms = layout.cell(channel.rms)
        let peak = max(layout.cell(channel.peak), rms)
        let held = layout.cell(channel.held) - 1
        line.append(layout.full[..<rms])
        line.append(layout.half[rms..<peak])
        if held >= peak {
            line.append(layout.empty[peak..<held])
            line.append(layout.held[held...held])
        }
        line.append(layout.empty[max(held + 1, peak)...])
    }
}
