import ACCAudioRecorder

/// The result of a take of a batch as text: losses first, then one line with the status.
struct OutcomeText {
    let take: BatchTake
    /// The number of takes in the batch.
    let count: Int
    let outcome: TakeOutcome
    let glyphs: Glyphs

    /// The beginning of each message about a take.
    static func subject(_ take: BatchTake, of count: Int) -> String { "accrec: \(take.number)/\(count) \(take.name)" }

    var lines: [String] {
        let subject = Self.subject(take, of: count)
        let losses = outcome.report.map { ReportText(report: $0, glyphs: glyphs).losses } ?? []
        let lossLines = losses.map { loss in "\(subject): \(loss.split(separator: " ").joined(separator: " "))" }
        return lossLines + ["\(subject): \(state)"]
    }

    private var state: String {
        switch outcome.status {
        case .recorded: course
        case .found: "already complete"
        case .skipped: "skipped"
        case .interrupted: "interrupted, \(course)"
        case .failed: "FAILED: \(outcome.message ?? course)"
        }
    }

    private var course: String {
        guard let report = outcome.report else { return "nothing was recorded" }
        let peak = report.levels.map(\.peakDecibels).max() ?? LevelScale.floor
        return "\(TimeText.clock(report.duration, decimals: 3)), peak \(DecibelText.short(peak, glyphs)) dBFS"
    }
}
