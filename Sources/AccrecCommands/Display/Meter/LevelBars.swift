/// A bar per channel, side by side, showing RMS, peak and held peak. The cell behind it is the clip indicator, which
/// stays on. RMS and held peak in dBFS follow if there is room.
struct LevelBars {
    let channels: [ChannelStatus]
    let style: TerminalStyle
    let layout: LevelBarLayout

    var line: StyledLine {
        var line = StyledLine()
        let glyphs = style.glyphs
        let marked = layout.markedCells
        for (index, channel) in channels.enumerated() {
            if index > 0 { line.append("  ") }
            if layout.label > 0 { line.append(String(index + 1), .faint, right: layout.label) }
            line.append(glyphs.barStart, .faint)
            append(barOf: channel, marked: marked, glyphs, to: &line)
            line.append(glyphs.barEnd, .faint)
            line.append(channel.clippedCount > 0 ? "!" : " ", .alarm)
            if layout.hasRMS { line.append(DecibelText.short(channel.rms), right: 7) }
            if layout.hasPeak { line.append(DecibelText.short(channel.held), LevelScale.ink(channel.held), right: 7) }
        }
        return line
    }

    private func append(barOf channel: ChannelStatus, marked: [Int], _ glyphs: Glyphs, to line: inout StyledLine) {
        let rms = layout.cell(channel.rms)
        let peak = layout.cell(channel.peak)
        let held = layout.cell(channel.held)
        for index in 0..<layout.bar {
            let ink = LevelScale.ink(LevelScale.floor * (1 - (Float(index) + 0.5) / Float(layout.bar)))
            if index < rms {
                line.append(narrow: glyphs.rms, ink)
            } else if index < peak {
                line.append(narrow: glyphs.peak, ink)
            } else if index == held - 1 {
                line.append(narrow: glyphs.held, ink)
            } else {
                line.append(narrow: marked.contains(index) ? glyphs.mark : " ", .faint)
            }
        }
    }
}
