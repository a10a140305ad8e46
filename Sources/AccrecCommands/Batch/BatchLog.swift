import ACCAudioRecorder

/// What is kept and told of the takes of a batch.
actor BatchLog {
    private let results: ResultsFile
    private let count: Int
    private let isQuiet: Bool
    private(set) var tally = BatchTally()

    /// - Parameter count: How many takes there are.
    init(_ results: ResultsFile, count: Int, isQuiet: Bool) {
        self.results = results
        self.count = count
        self.isQuiet = isQuiet
    }

    /// Whether the files of a take are complete; then it is counted, and its result kept where there is none.
    func noteComplete(_ take: BatchTake) async -> Bool {
        let told = await results.told[take.paths]
        // What a strict take lacks no file shows.
        let isAccepted = !take.isStrict || told?.status != .failed
        guard isAccepted, TakeCompleteness(take: take, told: told).isComplete else { return false }
        let outcome = TakeOutcome(status: .found)
        tally.note(outcome, of: take)
        // A program may have been killed between the file and its result.
        if told?.status.isComplete != true { await keep(outcome, of: take, attempts: 0) }
        return true
    }

    /// Keeps and tells what became of a take.
    func conclude(_ take: BatchTake, _ outcome: TakeOutcome, attempts: Int) async {
        tally.note(outcome, of: take)
        await keep(outcome, of: take, attempts: attempts)
        guard !isQuiet || outcome.status == .failed else { return }
        StandardError.write(lines: OutcomeText(take: take, count: count, outcome: outcome).lines)
    }

    /// Tells what goes wrong with a take.
    nonisolated func tell(_ message: String, _ take: BatchTake) {
        StandardError.write(lines: ["\(OutcomeText.subject(take, of: count)): \(message)"])
    }

    /// Tells what goes as it is to.
    nonisolated func mention(_ message: String, _ take: BatchTake) {
        if !isQuiet { tell(message, take) }
    }

    private func keep(_ outcome: TakeOutcome, of take: BatchTake, attempts: Int) async {
        do {
            try await results.append(ResultRecord(take, of: count, outcome, attempts: attempts))
        } catch {
            tally.noteResultLost()
            tell("\(error)", take)
        }
    }
}
