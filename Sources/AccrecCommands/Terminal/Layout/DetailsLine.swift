/// The meter's last line: from where, in which form, to which.
struct DetailsLine {
    let status: TakeStatus
    let style: TerminalStyle

    /// No wider than `columns`. A source's name that is too long gives way to the formats, and the hint to both.
    func line(columns: Int) -> StyledLine {
        var formats = StyledLine()
        formats.append(status.sourceFormat, .faint)
        if let output = status.outputFormat { formats.append(" \(style.glyphs.arrow) \(output)", .faint) }
        let wantsHint = status.hasKeys && columns >= formats.width + hint.width + 16
        let room = columns - (wantsHint ? hint.width + 2 : 0)

        var line = StyledLine()
        line.append(status.source)
        line.shorten(to: max(room - formats.width - 2, 12), style.glyphs.ellipsis)
        line.append("  ")
        line.append(formats)
        line.shorten(to: room, style.glyphs.ellipsis)
        if wantsHint {
            line.pad(to: columns - hint.width)
            line.append(hint)
        }
        return line
    }

    private var hint: StyledLine {
        var line = StyledLine()
        line.append(status.phase == .paused ? "space resumes" : "? keys", .faint)
        return line
    }
}
