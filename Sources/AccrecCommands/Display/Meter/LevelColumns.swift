/// A vertical bar per channel, from -60 to 0 dBFS, used when there are too many channels for horizontal bars. If there
/// are more channels than columns, several share one, which shows the loudest of them.
struct LevelColumns {
    let channels: [ChannelStatus]
    let style: TerminalStyle
    /// The number of rows. With two, the scale stands to the left and the loudest channel to the right.
    let rows: Int
    let columns: Int

    private static let axis = 4
    private static let readout = 20

    var lines: [StyledLine] {
        (0..<rows).map { row in
            var line = StyledLine()
            if hasAxis { line.append(row == 0 ? "  0 " : row == rows - 1 ? "-60 " : "    ", .faint) }
            for group in groups {
                let level = group.map(\.peak).max() ?? LevelScale.floor
                let scalar = style.glyphs.column(filledTo: LevelScale.part(level), row: row, of: rows)
                let hasClipped = group.contains { $0.clippedCount > 0 }
                for _ in 0..<cellWidth { line.append(scalar, hasClipped ? .alarm : LevelScale.ink(level)) }
                if cellWidth > 1 { line.append(row == 0 && hasClipped ? "!" : " ", .alarm) }
            }
            if hasReadout { line.append(readout(row)) }
            line.cut(to: columns)
            return line
        }
    }

    private var hasAxis: Bool { rows > 1 && columns > channels.count + Self.axis }

    private var hasReadout: Bool { rows > 1 && columns >= channels.count + Self.axis + Self.readout }

    private var room: Int { columns - (hasAxis ? Self.axis : 0) - (hasReadout ? Self.readout : 0) }

    /// Up to four columns with room for the clip indicator if that fits, otherwise one column.
    private var cellWidth: Int {
        let width = room / max(groups.count, 1)
        return width >= 3 ? min(width - 1, 4) : 1
    }

    private var groups: [ArraySlice<ChannelStatus>] {
        let size = max((channels.count + room - 1) / max(room, 1), 1)
        return stride(from: 0, to: channels.count, by: size).map { channels[$0..<min($0 + size, channels.count)] }
    }

    /// The loudest channel, by held peak.
    private func readout(_ row: Int) -> StyledLine {
        guard let index = channels.indices.max(by: { channels[$0].held < channels[$1].held }) else {
            return StyledLine()
        }
        let channel = channels[index]
        var line = StyledLine()
        if row == 0 {
            line.append("  \(index + 1): peak \(DecibelText.short(channel.held))", LevelScale.ink(channel.held))
        } else if row == rows - 1 {
            line.append("  \(index + 1): RMS \(DecibelText.short(channel.rms))")
        }
        return line
    }
}
