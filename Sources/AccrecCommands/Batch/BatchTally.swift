import ACCAudioRecorder

/// Counts the results of a batch's takes.
struct BatchTally {
    /// By take number; the last attempt counts.
    private var statuses: [Int: ResultRecord.Status] = [:]
    /// Takes that are complete but have losses.
    private var lossy: Set<Int> = []
    /// Whether all results could be written.
    private var isKept = true

    mutating func record(_ outcome: TakeOutcome, of take: BatchTake) {
        statuses[take.number] = outcome.status
        let isLossy = outcome.status == .recorded && outcome.report?.hasLosses == true
        if isLossy { lossy.insert(take.number) } else { lossy.remove(take.number) }
    }

    /// Records that a result could not be written.
    mutating func recordLostResult() { isKept = false }

    /// A one-line summary.
    ///
    /// - Parameter count: The number of takes.
    func text(of count: Int) -> String {
        let names: [(ResultRecord.Status, String)] = [
            (.recorded, "recorded"), (.found, "already complete"), (.skipped, "skipped"),
            (.interrupted, "interrupted"),
            (.failed, "FAILED"),
        ]
        var parts = names.compactMap { status, name in
            let number = statuses.values.count { $0 == status }
            return number > 0 ? "\(number) \(name)" : nil
        }
        if statuses.count < count { parts.append("\(count - statuses.count) not started") }
        if !lossy.isEmpty { parts.append("\(lossy.count) of them with frames LOST") }
        return "\(count) take\(count == 1 ? "" : "s"): \(parts.joined(separator: ", "))"
    }

    /// The exit status: success if every take is complete or skipped.
    func status(of count: Int) -> ExitStatus {
        let good = statuses.values.count { $0.isComplete || $0 == .skipped }
        return good == count && isKept ? .success : .failure
    }
}
