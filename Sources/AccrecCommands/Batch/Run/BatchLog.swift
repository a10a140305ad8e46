import ACCAudioRecorder

/// Records and reports the results of a batch's takes.
actor BatchLog {
    private let results: ResultsFile
    private let count: Int
    private let isQuiet: Bool
    private let glyphs: TerminalStyle.Glyphs
    private let write: @Sendable ([String]) -> Void
    private(set) var tally = Tally()

    /// - Parameters:
    ///   - count: The number of takes.
    ///   - write: Writes lines to the terminal or log.
    init(
        _ results: ResultsFile, count: Int, isQuiet: Bool, glyphs: TerminalStyle.Glyphs,
        write: @escaping @Sendable ([String]) -> Void
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
        // The files of a take that `--strict` or a check failed look complete.
        let isAccepted = !take.isStrict && take.check == nil || prior?.status != .failed
        guard isAccepted, take.isComplete(by: prior) else { return false }
        let outcome = BatchTake.Outcome(status: .found)
        tally.record(outcome, of: take)
        // The program may have been killed between completing the file and writing the result.
        if prior?.status.isComplete != true { await keep(outcome, of: take, attempts: 0) }
        return true
    }

    /// Records and reports the result of a take.
    func conclude(_ take: BatchTake, _ outcome: BatchTake.Outcome, attempts: Int) async {
        tally.record(outcome, of: take)
        await keep(outcome, of: take, attempts: attempts)
        guard !isQuiet || outcome.status == .failed else { return }
        write(lines(for: outcome, of: take))
    }

    /// Reports a problem with a take.
    nonisolated func tell(_ message: String, _ take: BatchTake) {
        write(["\(Self.subject(take, of: count)): \(message)"])
    }

    /// Reports normal progress of a take, unless quiet.
    nonisolated func mention(_ message: String, _ take: BatchTake) {
        if !isQuiet { tell(message, take) }
    }

    private func keep(_ outcome: BatchTake.Outcome, of take: BatchTake, attempts: Int) async {
        do {
            try await results.append(ResultRecord(take, of: count, outcome, attempts: attempts))
        } catch {
            tally.recordLostResult()
            tell("\(error)", take)
        }
    }
}

// MARK: - As text

extension BatchLog {
    /// The beginning of each message about a take.
    static func subject(_ take: BatchTake, of count: Int) -> String { "accrec: \(take.number)/\(count) \(take.name)" }

    /// The result of a take: losses first, then one line with the status.
    private func lines(for outcome: BatchTake.Outcome, of take: BatchTake) -> [String] {
        let subject = Self.subject(take, of: count)
        let losses = outcome.report.map { ReportText(report: $0, glyphs: glyphs).losses } ?? []
        let lossLines = losses.map { loss in "\(subject): \(loss.split(separator: " ").joined(separator: " "))" }
        return lossLines + ["\(subject): \(state(outcome))"]
    }

    private func state(_ outcome: BatchTake.Outcome) -> String {
        switch outcome.status {
        case .recorded: summary(outcome) + verdict(on: outcome)
        case .found: "already complete"
        case .skipped: "skipped"
        case .interrupted: "interrupted, \(summary(outcome))"
        case .failed: "FAILED: \(outcome.message ?? summary(outcome))"
        }
    }

    private func summary(_ outcome: BatchTake.Outcome) -> String {
        guard let report = outcome.report else { return "nothing was recorded" }
        let peak = report.levels.map(\.peakDecibels).max() ?? LevelScale.floor
        return "\(TimeText.clock(report.length.seconds, decimals: 3)), peak \(DecibelText.short(peak, glyphs)) dBFS"
    }

    /// Whether the take was found to be good; without a check, only what was found while it was recorded.
    private func verdict(on outcome: BatchTake.Outcome) -> String {
        if outcome.checks != nil { return ", good" }
        let findings = outcome.report?.findings ?? []
        return findings.isEmpty ? "" : ", " + FindingText.text(findings.map(\.description))
    }
}

extension BatchLog {
    /// Counts the results of a batch's takes.
    struct Tally {
        /// By take number; the last attempt counts.
        private var statuses: [Int: ResultRecord.Status] = [:]
        /// Takes that are complete but have losses.
        private var lossy: Set<Int> = []
        /// Whether all results could be written.
        private var isKept = true

        mutating func record(_ outcome: BatchTake.Outcome, of take: BatchTake) {
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
}
