/// A bar for each channel, side by side: up to the RMS, on to the peak, and the held peak. The cell behind it is the clip
/// lamp, which stays on; then RMS and held peak in dBFS, where there is room.
struct LevelBars {
    private static let gap = 2
    private static let narrowest = 8

    let channels: [ChannelStatus]
    let style: TerminalStyle
    private let label: Int
    private let bar: Int
    private let hasPeak: Bool
    private let hasRMS: Bool

    /// Nil where the bars would be too short to be read.
    ///
    /// - Parameter columns: The width that there is.
    init?(_ channels: [ChannelStatus], style: TerminalStyle, columns: Int) {
        guard !channels.isEmpty else { return nil }
        self.channels = channels
        self.style = style
        label = channels.count == 1 ? 0 : "\(channels.count)".count
        let room = (columns + Self.gap) / channels.count - Self.gap - label - 3
        hasPeak = room - 7 >= Self.narrowest
        hasRMS = room - 14 >= Self.narrowest * 2
        bar = room - (hasRMS ? 14 : hasPeak ? 7 : 0)
        guard bar >= Self.narrowest else { return nil }
    }

    var line: StyledLine {
        var line = StyledLine()
        for (index, channel) in channels.enumerated() {
            if index > 0 { line.append("  ") }
            if label > 0 { line.append(Self.padded("\(index + 1)", to: label), .faint) }
            line.append(style.glyphs.barStart, .faint)
            append(barOf: channel, to: &line)
            line.append(style.glyphs.barEnd, .faint)
            line.append(channel.clippedCount > 0 ? "!" : " ", .alarm)
            if hasRMS { line.append(" " + Self.padded(DecibelText.short(channel.rms), to: 6)) }
            if hasPeak {
                line.append(" " + Self.padded(DecibelText.short(channel.held), to: 6), LevelScale.ink(channel.held))
            }
        }
        return line
    }

    /// The scale below the bars, and what the numbers are.
    var scale: StyledLine {
        var line = StyledLine()
        for index in channels.indices {
            if index > 0 { line.append("  ") }
            line.append(String(repeating: " ", count: label + 1))
            line.append(marks, .faint)
            line.append("  ")
            if hasRMS { line.append("    RMS", .faint) }
            if hasPeak { line.append("   peak", .faint) }
        }
        return line
    }

    private func append(barOf channel: ChannelStatus, to line: inout StyledLine) {
        let rms = cell(channel.rms)
        let peak = cell(channel.peak)
        let held = cell(channel.held)
        let marked = markedCells
        let glyphs = style.glyphs
        for index in 0..<bar {
            let ink = LevelScale.ink(LevelScale.floor * (1 - (Float(index) + 0.5) / Float(bar)))
            if index < rms {
                line.append(glyphs.rms, ink)
            } else if index < peak {
                line.append(glyphs.peak, ink)
            } else if index == held - 1 {
                line.append(glyphs.held, ink)
            } else {
                line.append(marked.contains(index) ? glyphs.mark : " ", .faint)
            }
        }
    }

    /// How many cells a level fills.
    private func cell(_ decibels: Float) -> Int {
        Int((LevelScale.part(decibels) * Double(bar)).rounded())
    }

    private var markedCells: [Int] {
        LevelScale.marks.prefix(bar < 20 ? 3 : 6).map { min(cell(Float($0)), bar - 1) }
    }

    /// As many marks as fit, each with its end below its place on the bar.
    private var marks: String {
        let space = UInt8(ascii: " ")
        var row = [UInt8](repeating: space, count: bar)
        for mark in LevelScale.marks {
            let text = "\(mark)".utf8
            let first = min(max(cell(Float(mark)) - text.count / 2, 0), bar - text.count)
            let taken = max(first - 1, 0)..<min(first + text.count + 1, bar)
            guard row[taken].allSatisfy({ $0 == space }) else { continue }
            row.replaceSubrange(first..<first + text.count, with: text)
        }
        return String(decoding: row, as: UTF8.self)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(width - text.utf8.count, 0)) + text
    }
}
