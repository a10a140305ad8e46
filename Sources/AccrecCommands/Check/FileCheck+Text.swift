import ACCAudioRecorder

// MARK: - As text

extension FileCheck {
    /// The lines for a file, each with its label.
    var lines: [String] {
        let place = { (seconds: Double) in TimeText.clock(seconds, decimals: 3) }
        var lines = [
            Self.line("file", file),
            Self.line("format", "\(format), \(sampleRate) Hz, \(channels) channel\(channels == 1 ? "" : "s")"),
            Self.line("length", "\(place(length)), \(frames) frames"),
        ]
        lines += measurements.map { Self.line($0.name, $0.text) }
        lines += markers.map { Self.line("marker", "\(place($0.offset)) \($0.label)") }
        lines += findings.map { finding in
            let start = finding.hasPlace ? place(finding.offset) + " " : ""
            let length = finding.hasPlace && finding.length >= 0.001 ? ", for \(TimeText.length(finding.length))" : ""
            return Self.line("finding", start + finding.text + length)
        }
        if omitted > 0 { lines.append(Self.line("finding", "\(omitted) more")) }
        return lines + [Self.line("result", summary)]
    }

    /// What was measured, in words: loudness, true peak, and the levels of each channel.
    var measurements: [(name: String, text: String)] {
        [("loudness", loudness), ("true peak", level(figures.truePeak, "dBTP"))]
            + figures.channels.enumerated().map { ("channel \($0 + 1)", text(of: $1)) }
    }

    /// `good`, or how much is wrong.
    var summary: String {
        let count = findings.count + omitted
        return isGood ? "good" : "\(count) finding\(count == 1 ? "" : "s")"
    }

    private var loudness: String {
        guard let integrated = figures.integrated else { return "below -70 LUFS" }
        var text = "\(LevelText.decimal(integrated)) LUFS"
        if let range = figures.range { text += ", range \(LevelText.decimal(range)) LU" }
        if let momentary = figures.momentary { text += ", momentary at most \(LevelText.decimal(momentary))" }
        if let shortTerm = figures.shortTerm { text += ", short-term at most \(LevelText.decimal(shortTerm))" }
        return text
    }

    private func text(of channel: SignalFigures.Channel) -> String {
        var text = "peak \(level(channel.peak, "dBFS"))"
        if let speech = channel.speechLevel, let noise = channel.noiseFloor, let distance = channel.distance {
            text +=
                ", speech \(LevelText.decimal(speech)), noise \(LevelText.decimal(noise)), "
                + "\(LevelText.decimal(distance)) dB apart"
        }
        if let bandwidth = channel.bandwidth { text += ", up to \(LevelText.decimal(bandwidth / 1_000)) kHz" }
        return text
    }

    private func level(_ level: Double, _ unit: String) -> String {
        level <= Double(DecibelText.silence) ? "none" : "\(LevelText.decimal(level)) \(unit)"
    }

    private static func line(_ label: String, _ text: String) -> String {
        label + String(repeating: " ", count: max(11 - label.count, 1)) + text
    }
}
