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
        lines += figures.measurements(at: sampleRate).map { Self.line($0.name, $0.text) }
        lines += markers.map { Self.line("marker", "\(place($0.offset)) \($0.label)") }
        lines += findings.map { finding in
            let start = finding.hasPlace ? place(finding.offset) + " " : ""
            let length = finding.hasPlace && finding.length >= 0.001 ? ", for \(TimeText.length(finding.length))" : ""
            return Self.line("finding", start + finding.text + length)
        }
        if omitted > 0 { lines.append(Self.line("finding", "\(omitted) more")) }
        lines.append(Self.line("result", summary))
        if isRepairable != nil { lines.append(Self.line("remedy", Self.repairing)) }
        return lines
    }

    /// `good`, or how much is wrong.
    var summary: String {
        let count = findings.count + omitted
        return isGood ? "good" : "\(count) finding\(count == 1 ? "" : "s")"
    }

    private static func line(_ label: String, _ text: String) -> String {
        label + String(repeating: " ", count: max(11 - label.count, 1)) + text
    }
}
