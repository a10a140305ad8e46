import ACCAudioRecorder

/// How many takes of a batch became what.
struct BatchTally {
    /// By the takes' numbers; of one that was made again the last counts.
    private var statuses: [Int: ResultRecord.Status] = [:]
    /// Takes that are complete, but lack frames of the source.
    private var lossy: Set<Int> = []
    /// Whether all results are kept.
    private var isKept = true

    mutating func note(_ outcome: TakeOutcome, of take: BatchTake) {
        statuses[take.number] = outcome.status
        let isLossy = outcome.status == .recorded && (outcome.report?.framesLost ?? 0) > 0
        if isLossy { lossy.insert(take.number) } else { lossy.remove(take.number) }
    }

    /// A result could not be written.
    mutating func noteResultLost() { isKept = false }

    /// In a line, of so many takes.
    func text(of count: Int) -> String {
        let names: [(ResultRecord.Status, String)] = [
            (.recorded, "recorded"), (.found, "complete already"), (.skipped, "left out"),
            (.interrupted, "interrupted"),
            (.failed, "FAILED"),
        ]
        var parts = names.compactMap { status, name in
            let number = statuses.values.count { $0 == status }
            return number > 0 ? "\(number) \(name)" : nil
        }
        if statuses.count < count { parts.append("\(count - statuses.count) not begun") }
        if !lossy.isEmpty { parts.append("\(lossy.count) of them with frames LOST") }
        return "\(count) take\(count == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
    }

    /// What the program ends with: whether each take is as it is to be.
    func status(of count: Int) -> ExitStatus {
        let good = statuses.values.count { $0.isComplete || $0 == .skipped }
        return good == count && isKept ? .success : .failure
    }
}
