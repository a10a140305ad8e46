/// A bar per channel, showing RMS, peak and held peak. The cell behind it is the clip indicator, which stays on. RMS
/// and held peak in dBFS follow if there is room.
struct LevelBars {
    let channels: [RecordingStatus.Channel]
    let style: TerminalStyle
    let layout: Layout
    /// Whether the levels are shown as not being recorded.
    var isDimmed = false

    /// The rows, which the channels fill one column of bars after the other.
    var lines: [StyledLine] {
        let rows = layout.rows
        return (0..<rows).map { row in
            var line = StyledLine()
            for index in stride(from: row, to: channels.count, by: rows) {
                if index > row { line.append("  ") }
                line.append(layout.labels[index])
                append(channels[index], to: &line)
            }
            return line
        }
    }

    private func append(_ channel: RecordingStatus.Channel, to line: inout StyledLine) {
        let glyphs = style.glyphs
        line.append(glyphs.barStart, .faint)
        append(barOf: channel, to: &line)
        line.append(glyphs.barEnd, .faint)
        line.append(channel.clippedCount > 0 ? "!" : " ", .alarm)
        guard channel.isMeasured else { return line.pad(to: line.width + layout.numbersWidth) }
        if layout.hasRMS { line.append(DecibelText.short(channel.rms, glyphs), isDimmed ? .faint : .plain, right: 7) }
        if layout.hasPeak {
            line.append(
                DecibelText.short(channel.held, glyphs), isDimmed ? .faint : LevelScale.ink(channel.held), right: 7)
        }
    }

    private func append(barOf channel: RecordingStatus.Channel, to line: inout StyledLine) {
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

extension LevelBars {
    /// The layout of level bars: one under the other, or side by side where there are not enough rows. Each has the
    /// channel's name, a bar, a clip indicator, and levels in dBFS if there is room.
    struct Layout {
        /// The names of the channels, all of one width.
        let labels: [StyledLine]
        /// The number of bars side by side.
        let barsPerRow: Int
        /// The length of a bar.
        let bar: Int
        let hasPeak: Bool
        let hasRMS: Bool
        /// The cells of whole bars: full, filled up to the peak only, with the held peak everywhere, and empty with the
        /// marks of the scale. A bar is made of parts of them.
        let full: [StyledLine.Cell]
        let half: [StyledLine.Cell]
        let held: [StyledLine.Cell]
        let empty: [StyledLine.Cell]

        /// The width of the levels in dBFS.
        var numbersWidth: Int { (hasRMS ? 7 : 0) + (hasPeak ? 7 : 0) }

        private static let gap = 2
        private static let narrowest = 8
        /// The names of all positions fit.
        private static let narrowestLabel = 3

        /// Nil if the bars would be too short to read.
        ///
        /// - Parameters:
        ///   - labels: The names of the channels.
        ///   - columns: The available width.
        ///   - rows: The available rows, without the scale.
        ///   - isDimmed: Whether levels are shown as not being recorded.
        init?(labels: [String], columns: Int, rows: Int, glyphs: TerminalStyle.Glyphs, isDimmed: Bool = false) {
            guard !labels.isEmpty, rows > 0 else { return nil }
            barsPerRow = (labels.count + rows - 1) / rows
            let share = (columns + Self.gap) / barsPerRow - Self.gap
            // Names of tracks may have any length.
            let longest = max(share / 4, Self.narrowestLabel)
            let label = min(labels.reduce(0) { max($0, $1.displayWidth) }, longest)
            self.labels = labels.shortened(to: label, glyphs.ellipsis).map { name in
                var line = StyledLine()
                line.append(name, .faint)
                line.pad(to: label, .faint)
                return line
            }
            let room = share - label - 3
            hasPeak = room - 7 >= Self.narrowest
            hasRMS = room - 14 >= Self.narrowest * 2
            let bar = room - (hasRMS ? 14 : hasPeak ? 7 : 0)
            guard bar >= Self.narrowest else { return nil }
            self.bar = bar
            let cells = { (glyph: Unicode.Scalar) in
                (0..<bar).map { index in
                    let level = LevelScale.floor * (1 - (Float(index) + 0.5) / Float(bar))
                    return StyledLine.Cell(scalar: glyph, ink: isDimmed ? .faint : LevelScale.ink(level))
                }
            }
            (full, half, held) = (cells(glyphs.rms), cells(glyphs.peak), cells(glyphs.held))
            let marked = LevelScale.marks.prefix(bar < 20 ? 3 : 6).map { min(Self.cell(Float($0), of: bar), bar - 1) }
            empty = (0..<bar).map { StyledLine.Cell(scalar: marked.contains($0) ? glyphs.mark : " ", ink: .faint) }
        }

        /// The number of rows, without the scale.
        var rows: Int { (labels.count + barsPerRow - 1) / barsPerRow }

        /// The number of cells of a bar that a level fills.
        func cell(_ decibels: Float) -> Int { Self.cell(decibels, of: bar) }

        private static func cell(_ decibels: Float, of bar: Int) -> Int {
            Int((LevelScale.part(decibels) * Double(bar)).rounded())
        }

        /// The scale below the bars, with headings for the numbers.
        var scale: StyledLine {
            var line = StyledLine()
            for index in 0..<barsPerRow {
                if index > 0 { line.append("  ") }
                line.append(String(repeating: " ", count: labels[0].width + 1))
                line.append(marks, .faint)
                line.append("  ")
                if hasRMS { line.append("    RMS", .faint) }
                if hasPeak { line.append("   peak", .faint) }
            }
            return line
        }

        /// As many marks as fit, each centred below its cell.
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
    }
}

/// The meter's scale: linear in dB, from -60 to 0 dBFS.
enum LevelScale {
    /// The lowest level shown, in dBFS.
    static let floor: Float = -60
    /// The marks in dBFS, most important first.
    static let marks = [0, -12, -24, -6, -36, -48, -60, -18, -3]

    /// The position of a level on the scale, from 0 to 1; 0 for NaN.
    static func part(_ decibels: Float) -> Double {
        decibels.isNaN ? 0 : Double(min(max((decibels - floor) / -floor, 0), 1))
    }

    /// Green below -12 dBFS, yellow below -3 dBFS, red above.
    static func ink(_ decibels: Float) -> StyledLine.Ink {
        decibels < -12 ? .low : decibels < -3 ? .middle : .high
    }

    /// The highest level shown by a row, counted from the top, of a vertical scale, in dBFS.
    static func top(ofRow row: Int, of rows: Int) -> Float { floor * Float(row) / Float(rows) }

    /// The style of a row of a vertical scale.
    static func ink(ofRow row: Int, of rows: Int) -> StyledLine.Ink { ink(floor * (Float(row) + 0.5) / Float(rows)) }

    /// The label of a row of a vertical scale, in four columns.
    static func label(ofRow row: Int, of rows: Int) -> String {
        let text = "\(Int(top(ofRow: row, of: rows).rounded()))"
        return String(repeating: " ", count: 3 - text.utf8.count) + text + " "
    }
}

extension [String] {
    /// The names of channels in at most this many columns: with the channels' numbers before them where different names would
    /// look alike, or the numbers alone.
    func shortened(to width: Int, _ ellipsis: String) -> [String] {
        let count = Set(self).count
        let names = map { $0.shortened(to: width, ellipsis) }
        guard Set(names).count < count else { return names }
        let numbered = enumerated().map { "\($0 + 1) \($1)".shortened(to: width, ellipsis) }
        return Set(numbered).count < count ? indices.map { "\($0 + 1)" } : numbered
    }
}
