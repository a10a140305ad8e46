/// How the bars of some channels share a width: for each a number, a bar with a cell behind it, and the levels in dBFS
/// that there is room for.
struct LevelBarLayout: Equatable {
    let channelCount: Int
    /// How wide the number of a channel is.
    let label: Int
    /// How long a bar is.
    let bar: Int
    let hasPeak: Bool
    let hasRMS: Bool

    private static let gap = 2
    private static let narrowest = 8

    /// Nil where the bars would be too short to be read.
    ///
    /// - Parameter columns: The width that there is.
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

    /// How many cells of a bar a level fills.
    func cell(_ decibels: Float) -> Int {
        Int((LevelScale.part(decibels) * Double(bar)).rounded())
    }

    /// Where bars show the scale.
    var markedCells: [Int] {
        LevelScale.marks.prefix(bar < 20 ? 3 : 6).map { min(cell(Float($0)), bar - 1) }
    }

    /// The scale below the bars, and what the numbers are.
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
}
