import ACCAudioRecorder

/// Records and reports the results of a batch's takes.
actor BatchLog {
    private let results: ResultsFile
    private let count: Int
    private let isQuiet: Bool
    private let glyphs: Glyphs
    private let write: @Sendable ([String]) -> Void
    private(set) var tally = BatchTally()

    /// - Parameters:
    ///   - count: The number of takes.
    ///   - write: Writes lines to the terminal or log.
    init(
        _ results: ResultsFile, count: Int, isQuiet: Bool, glyphs: Glyphs, write: @escaping @Sendable ([String]) -> Void
    ) {
        self.results = results
        self.count = count
        self.isQuiet = isQuiet
        self.glyphs = glyphs
        self.write = write
    }

    /// Counts a take if its files are complete, adding a missing result for it. Returns false if they are not complete.
    func countIfComplete(_ take: BatchTake) async -> Bool {
        let prior = await results.priorResults[take.paths]
        // The files of a take that `--strict` failed look complete.
        let isAccepted = !take.isStrict || prior?.status != .failed
        guard isAccepted, TakeCompleteness(take: take, priorResult: prior).isComplete else { return false }
        let outcome = TakeOutcome(status: .found)
        tally.record(outcome, of: take)
        // The program may have been killed between completing the file and writing the result.
        if prior?.status.isComplete != true { await keep(outcome, of: take, attempts: 0) }
        return true
    }

    /// Records and reports the result of a take.
    func conclude(_ take: BatchTake, _ outcome: TakeOutcome, attempts: Int) async {
        tally.record(outcome, of: take)
        await keep(outcome, of: take, attempts: attempts)
        guard !isQuiet || outcome.status == .failed else { return }
        write(OutcomeText(take: take, count: count, outcome: outcome, glyphs: glyphs).lines)
    }

    /// Reports a problem with a take.
    nonisolated func tell(_ message: String, _ take: BatchTake) {
        write(["\(OutcomeText.subject(take, of: count)): \(message)"])
    }

    /// Reports normal progress of a take, unless quiet.
    nonisolated func mention(_ message: String, _ take: BatchTake) {
        if !isQuiet { tell(message, take) }
    }

    private func keep(_ outcome: TakeOutcome, of take: BatchTake, attempts: Int) async {
        do {
            try await results.append(ResultRecord(take, of: count, outcome, attempts: attempts))
        } catch {
            tally.recordLostResult()
            tell("\(error)", take)
        }
    }
}

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
        case .recorded: summary
        case .found: "already complete"
        case .skipped: "skipped"
        case .interrupted: "interrupted, \(summary)"
        case .failed: "FAILED: \(outcome.message ?? summary)"
        }
    }

    private var summary: String {
        guard let report = outcome.report else { return "nothing was recorded" }
        let peak = report.levels.map(\.peakDecibels).max() ?? LevelScale.floor
        return "\(TimeText.clock(report.duration, decimals: 3)), peak \(DecibelText.short(peak, glyphs)) dBFS"
    }
}
