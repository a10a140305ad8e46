import ACCAudioRecorder
import Glibc

/// Draws a waveform as lines of text, with its gaps and markers below: a bar for each column, as high as its peak on the scale of
/// the meter.
struct WaveformText {
    /// A gap or a marker.
    struct Place {
        let seconds: Double
        let isGap: Bool
    }

    let waveform: Waveform
    /// In Hz.
    let sampleRate: Double
    /// The length of the recording in seconds.
    let seconds: Double
    /// The names of the channels, in their order.
    let names: [String]
    let places: [Place]
    let style: TerminalStyle
    /// The width of the lines.
    let columns: Int

    /// With more channels than this, they share their lines.
    private static let mostChannels = 8
    private static let narrowest = 16
    /// Room for the names.
    private static let margin = 11

    /// The lines, without styles; none if there is no sound or no room.
    var lines: [String] {
        let width = columns - Self.margin
        guard width >= Self.narrowest, seconds > 0, let first = waveform.channels.first, !first.isEmpty else {
            return []
        }
        return bars(width) + [axis(width)] + marks(width)
    }

    private func bars(_ width: Int) -> [String] {
        let isShared = waveform.channels.count > Self.mostChannels
        let groups = isShared ? [waveform.channels] : waveform.channels.map { [$0] }
        let rows = groups.count <= 2 ? 3 : 2
        return groups.enumerated().flatMap { index, group in
            let name = isShared ? "all" : index < names.count ? names[index] : "\(index + 1)"
            let peaks = (0..<width).map { peak(of: group, in: $0, of: width) }
            return (0..<rows).map { row in
                let bar = peaks.map { style.glyphs.column(filledTo: $0, row: row, of: rows) }
                return Self.label(row == rows / 2 ? name : "", style) + String(String.UnicodeScalarView(bar))
            }
        }
    }

    /// The highest peak of the channels within a column of text, from 0 to 1.
    private func peak(of channels: [[ClosedRange<Float>]], in column: Int, of width: Int) -> Double {
        let secondsPerColumn = Double(waveform.framesPerColumn) / max(sampleRate, 1)
        let (start, end) = (seconds * Double(column) / Double(width), seconds * Double(column + 1) / Double(width))
        let first = Int(start / secondsPerColumn + 1e-9)
        let last = max(Int((end / secondsPerColumn - 1e-9).rounded(.up)), first + 1)
        let level = channels.reduce(Float(0)) { level, columns in
            guard first < columns.count else { return level }
            return columns[first..<min(last, columns.count)].reduce(level) { max($0, -$1.lowerBound, $1.upperBound) }
        }
        return LevelScale.part(20 * log10(level))
    }

    /// The time at each few columns.
    private func axis(_ width: Int) -> String {
        let distance = 16
        var line = ""
        for column in stride(from: 0, through: width - 8, by: distance) {
            let time = seconds * Double(column) / Double(width)
            let text = "|" + (seconds < 60 ? TimeText.clock(time, decimals: 1) : TimeText.countdown(Int(time)))
            line += text + String(repeating: " ", count: max(distance - text.utf8.count, 1))
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return Self.label("", style) + line
    }

    /// A line for gaps and one for markers, if there are any.
    private func marks(_ width: Int) -> [String] {
        [("gaps", true, "!"), ("markers", false, "^")].compactMap { name, isGap, symbol in
            let marked = Set(
                places.filter { $0.isGap == isGap && $0.seconds.isFinite }.map {
                    min(Int(min(max($0.seconds / seconds, 0), 1) * Double(width)), width - 1)
                })
            guard let last = marked.max() else { return nil }
            return Self.label(name, style) + (0...last).map { marked.contains($0) ? symbol : " " }.joined()
        }
    }

    private static func label(_ name: String, _ style: TerminalStyle) -> String {
        let text = PrintableText.line(name, isUTF8: style.isUTF8).shortened(to: margin - 1, style.glyphs.ellipsis)
        return text + String(repeating: " ", count: max(margin - text.displayWidth, 1))
    }
}
