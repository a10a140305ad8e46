import ACCAudioRecorder
import Foundation

/// The report of a meeting as text.
enum Minutes {
    /// All lines, the first of which names the file.
    static func lines(for report: RecordingReport) -> [String] {
        let files = report.outputs.map { "\($0.path ?? "pipe"): \(time(report.length)), \($0.channelCount) tracks" }
        let tracks = report.inputs.map { input in
            let numbers = input.channels.map { "\($0)" }.joined(separator: " and ")
            return "track \(numbers): \(input.name), \(input.source.description)"
        }
        // Those of the whole recording, and those of one input.
        let gaps = (report.gaps + report.streamGaps).sorted { $0.position < $1.position }.map { line(for: $0) }
        let failures = report.failures.map { "\($0)" }
        return files + tracks + (gaps.isEmpty ? ["nothing is missing"] : gaps) + failures
    }

    /// What is missing, where, of which input, and why.
    static func line(for gap: RecordingGap) -> String {
        let length = String(format: "%.1f s", gap.length / .seconds(1))
        return "\(gap.input ?? "both tracks"): \(length) missing at \(time(gap.offset)): \(gap.cause)"
    }

    /// A position as minutes, seconds and tenths.
    static func time(_ offset: Duration) -> String {
        let tenths = Int((offset / .milliseconds(100)).rounded())
        return String(format: "%d:%02d.%d", tenths / 600, tenths / 10 % 60, tenths % 10)
    }
}
