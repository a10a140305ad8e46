import ACCAudioRecorder

/// The report of a recording as people read it: what was lost comes first, then what was written.
struct ReportText {
    /// How wide the first column is, which says what each line is about.
    static let labelWidth = 10

    let report: RecordingReport
    /// The level over the length of the take; empty where it was not followed.
    var picture = ""

    var lines: [String] {
        losses + outputs.flatMap(\.lines) + report.outputs.filter(\.wasClosed).map { end("ended     ", $0) } + [source]
            + levels + lost + course
    }

    /// The pieces of each output together.
    private var outputs: [OutputText] {
        report.outputs.reduce(into: []) { outputs, piece in
            if outputs.last?.continues(in: piece) == true {
                outputs[outputs.count - 1].pieces.append(piece)
            } else {
                outputs.append(OutputText(pieces: [piece]))
            }
        }
    }

    /// What must not be overlooked; nothing for a take that is whole.
    var losses: [String] {
        var lines: [String] = []
        if report.framesLost > 0 {
            lines.append(
                "LOST      \(report.framesLost) frames of the source: \(places(report.gaps, rate: report.sampleRate))")
        }
        for output in report.outputs where !output.gaps.isEmpty {
            let frames = output.gaps.reduce(0) { $0 + $1.framesLost }
            lines.append(
                "LOST      \(frames) frames of \(OutputText.name(of: output)): \(places(output.gaps, rate: output.sampleRate))"
            )
        }
        lines += report.outputs.filter { $0.failure != nil && !$0.wasClosed }.map { end("ENDED     ", $0) }
        if report.clippedCount > 0 {
            lines.append("CLIPPED   \(report.clippedCount) samples at full scale: lower the source's volume")
        }
        return lines
    }

    private func end(_ label: String, _ output: OutputReport) -> String {
        let end = TimeText.clock(Double(output.firstFrame) / Double(output.sampleRate) + output.duration, decimals: 3)
        return "\(label)\(OutputText.name(of: output)) at \(end): \(output.failure?.failure?.cause ?? "")"
    }

    private func places(_ gaps: [RecordingGap], rate: Int) -> String {
        let places = gaps.prefix(8).map { gap in
            let time = TimeText.clock(Double(gap.position) / Double(rate), decimals: 3)
            return "\(gap.framesLost) at \(time) (\(gap.cause)\(gap.isFilled ? ", filled with silence" : ""))"
        }
        return places.joined(separator: ", ") + (gaps.count > 8 ? " and \(gaps.count - 8) more places" : "")
    }

    private var source: String {
        "source    \(report.source.name): \(report.source.sampleSpec)"
    }

    private var course: [String] {
        picture.isEmpty ? [] : ["course    \(picture)"]
    }

    /// A line for each channel.
    var levels: [String] {
        let single = report.levels.count == 1
        return report.levels.enumerated().map { index, level in
            let name = single ? "" : "channel \(index + 1): "
            let peak = DecibelText.short(level.peakDecibels)
            let rms = DecibelText.short(level.rmsDecibels)
            return "level     \(name)peak \(peak) dBFS, RMS \(rms) dBFS, \(level.clippedCount) clipped"
        }
    }

    private var lost: [String] { ["lost      \(report.framesLost) frames"] }
}

extension OutputReport {
    /// Whether its reader had enough before the take was over.
    fileprivate var wasClosed: Bool { failure?.isOfReader == true }
}
