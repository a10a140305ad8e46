/// The layout of level bars side by side: for each channel its number, a bar, a clip indicator, and levels in dBFS if
/// there is room.
struct LevelBarLayout: Equatable {
    let channelCount: Int
    /// The width of a channel number.
    let label: Int
    /// The length of a bar.
    let bar: Int
    let hasPeak: Bool
    let hasRMS: Bool

    private static let gap = 2
    private static let narrowest = 8

    /// Nil if the bars would be too short to read.
    ///
    /// - Parameter columns: The available width.
    init?(channelCount: Int, columns: Int) {
        guard channelCount > 0 else { return nil }
        self.channelCount = channelCount
        label = channelCount == 1 ? 0 : String(channelCount).utf8.count
        let room = (columns + Self.gap) / channelCount - Self.gap - label - 3
        hasPeak = room - 7 >= Self.narrowest
        hasRMS = room - 14 >= Self.narrowest * 2
        bar = room - (hasRMS ? 14 : hasPeak ? 7 : 0)
        guard bar >= Self.narrowest else { return nil }
    }

    /// The number of cells of a bar that a level fills.
    func cell(_ decibels: Float) -> Int {
        Int((LevelScale.part(decibels) * Double(bar)).rounded())
    }

    /// The cells of a bar that show marks of the scale.
    var markedCells: [Int] {
        LevelScale.marks.prefix(bar < 20 ? 3 : 6).map { min(cell(Float($0)), bar - 1) }
    }

    /// The scale below the bars, with headings for the numbers.
    var scale: StyledLine {
        var line = StyledLine()
        for index in 0..<channelCount {
            if index > 0 { line.append("  ") }
            line.append(String(repeating: " ", count: label + 1))
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
    static func ink(_ decibels: Float) -> Ink {
        decibels < -12 ? .low : decibels < -3 ? .middle : .high
    }
}
