import ACCAudioRecorder

/// The report of a recording as people read it: what was lost comes first, then what was written.
struct ReportText {
    let report: RecordingReport

    var text: String {
        (losses + report.outputs.flatMap { [line(of: $0), fidelity(of: $0)] } + [source] + levels)
            .map { $0 + "\n" }.joined()
    }

    /// What must not be overlooked; nothing for a take that is whole.
    var losses: [String] {
        var lines: [String] = []
        if report.framesLost > 0 {
            let places = report.gaps.prefix(8).map { gap in
                let time = TimeText.clock(Double(gap.position) / Double(report.sampleRate), decimals: 3)
                return "\(gap.framesLost) at \(time) (\(gap.cause)\(gap.isFilled ? ", filled with silence" : ""))"
            }
            let more = report.gaps.count > 8 ? " and \(report.gaps.count - 8) more places" : ""
            lines.append(
                "LOST      \(report.framesLost) frames of the source: \(places.joined(separator: ", "))\(more)")
        }
        if report.clippedCount > 0 {
            lines.append("CLIPPED   \(report.clippedCount) samples at full scale: lower the source's volume")
        }
        return lines
    }

    private func line(of output: OutputReport) -> String {
        let name: String
        switch output.output.destination {
        case .file(let path): name = path
        case .descriptor(1): name = "(standard output)"
        case .descriptor(let number): name = "(descriptor \(number))"
        }
        let length = TimeText.clock(output.duration, decimals: 3)
        let encoding = output.output.encoding.map { " \($0)" } ?? ""
        let form = "\(output.output.container)\(encoding)"
        let map = output.channelMap
        let names = map == .standard(channelCount: map.channelCount) ? "" : " (\(map))"
        let channels = "\(map.channelCount) channel\(map.channelCount == 1 ? "" : "s")\(names)"
        let format = "\(form), \(output.sampleRate) Hz, \(channels)"
        return "written   \(name): \(length), \(output.frameCount) frames, \(format), \(output.byteCount) bytes"
    }

    private func fidelity(of output: OutputReport) -> String {
        if output.alterations.isEmpty { return "bit-exact yes" }
        let answer = output.alterations.contains(where: \.isCertain) ? "no" : "perhaps not"
        return "bit-exact \(answer), because " + output.alterations.map(\.description).joined(separator: ", and ")
    }

    private var source: String {
        "source    \(report.source.name): \(report.source.sampleSpec)"
    }

    private var levels: [String] {
        let single = report.levels.count == 1
        let lines = report.levels.enumerated().map { index, level in
            let name = single ? "" : "channel \(index + 1): "
            let peak = DecibelText.short(level.peakDecibels)
            let rms = DecibelText.short(level.rmsDecibels)
            return "level     \(name)peak \(peak) dBFS, RMS \(rms) dBFS, \(level.clippedCount) clipped"
        }
        return lines + ["lost      \(report.framesLost) frames"]
    }
}
