import ACCAudioRecorder

/// The levels of a recording as text: one line per channel, or, from three channels on, the peaks of all in as few lines as
/// possible.
struct ChannelLevelsText {
    let levels: [ChannelLevel]
    /// The names of tracks; empty if the channels have none.
    let names: [String]
    let glyphs: TerminalStyle.Glyphs
    /// The width of a line.
    var columns = 80

    private static let label = "level     "

    var lines: [String] { levels.count < 3 ? linePerChannel : compact }

    private var linePerChannel: [String] {
        levels.enumerated().map { index, level in
            let track = names.indices.contains(index) ? ", \(names[index])" : ""
            let name = levels.count == 1 ? "" : "channel \(index + 1)\(track): "
            let peak = DecibelText.short(level.peakDecibels, glyphs)
            let rms = DecibelText.short(level.rmsDecibels, glyphs)
            return "\(Self.label)\(name)peak \(peak) dBFS, RMS \(rms) dBFS, \(level.clippedCount) clipped"
        }
    }

    /// The peak of each channel, and the highest RMS. Neighbours with the same peak share one: they are mostly silent.
    private var compact: [String] {
        var peaks: [(channels: ClosedRange<Int>, text: String)] = []
        for (index, level) in levels.enumerated() {
            let text = text(of: level)
            if let last = peaks.last, last.text == text, names.isEmpty {
                peaks[peaks.count - 1].channels = last.channels.lowerBound...index + 1
            } else {
                peaks.append((index + 1...index + 1, text))
            }
        }
        let rms = DecibelText.short(levels.map(\.rmsDecibels).max() ?? DecibelText.silence, glyphs)
        let clippedCount = levels.reduce(0) { $0 + $1.clippedCount }
        let parts =
            peaks.map { "\(name(of: $0.channels)): \($0.text)" } + ["RMS up to \(rms)", "\(clippedCount) clipped"]
        return rows(of: parts)
    }

    private func text(of level: ChannelLevel) -> String {
        let clipped = level.clippedCount > 0 ? " (\(level.clippedCount) clipped)" : ""
        return DecibelText.short(level.peakDecibels, glyphs) + clipped
    }

    private func name(of channels: ClosedRange<Int>) -> String {
        let (first, last) = (channels.lowerBound, channels.upperBound)
        let track = names.indices.contains(first - 1) ? " \(names[first - 1])" : ""
        return first == last ? "\(first)\(track)" : "\(first)-\(last)"
    }

    /// The parts in lines, without a break within a part.
    private func rows(of parts: [String]) -> [String] {
        let width = columns - Self.label.count
        var rows = ["peak (dBFS)"]
        for (index, part) in parts.enumerated() {
            let part = part + (index + 1 < parts.count ? "," : "")
            let last = rows[rows.count - 1]
            if last.displayWidth + 1 + part.displayWidth > width {
                rows.append(part)
            } else {
                rows[rows.count - 1] = "\(last) \(part)"
            }
        }
        let indent = String(repeating: " ", count: Self.label.count)
        return rows.enumerated().map { ($0 == 0 ? Self.label : indent) + $1 }
    }
}
