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
