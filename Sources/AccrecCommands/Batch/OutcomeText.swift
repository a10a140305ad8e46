import ACCAudioRecorder

/// What became of a take of a batch, as people read it: what was lost first, then a line.
struct OutcomeText {
    let take: BatchTake
    /// How many takes the batch has.
    let count: Int
    let outcome: TakeOutcome

    /// Which take a message is about.
    static func subject(_ take: BatchTake, of count: Int) -> String { "accrec: \(take.number)/\(count) \(take.name)" }

    var lines: [String] {
        let subject = Self.subject(take, of: count)
        let losses = outcome.report.map { ReportText(report: $0).losses } ?? []
        let told = losses.map { loss in "\(subject): \(loss.split(separator: " ").joined(separator: " "))" }
        return told + ["\(subject): \(state)"]
    }

    private var state: String {
        switch outcome.status {
        case .recorded: course
        case .found: "is complete already."
        case .skipped: "is left out."
        case .interrupted: "interrupted, \(course)"
        case .failed: "FAILED: \(outcome.message ?? course)"
        }
    }

    private var course: String {
        guard let report = outcome.report else { return "nothing was recorded" }
        let peak = report.levels.map(\.peakDecibels).max() ?? LevelScale.floor
        return "\(TimeText.clock(report.duration, decimals: 3)), peak \(DecibelText.short(peak)) dBFS"
    }
}
