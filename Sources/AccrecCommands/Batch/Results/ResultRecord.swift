import ACCAudioRecorder
import FoundationEssentials

/// A line of the results of a batch: what became of a take. `schemas/batch-1.json` describes it.
struct ResultRecord: Encodable, Sendable {
    /// What became of a take.
    enum Status: String, Codable, CaseIterable, Sendable {
        /// It was recorded, and its files are complete.
        case recorded
        /// Its files were complete already, of which no other line tells.
        case found
        /// Nothing, or not all of it, was recorded.
        case failed
        /// The batch ended while it ran.
        case interrupted
        /// Whoever is recorded has left it out.
        case skipped

        /// Whether the files are as they are to be.
        var isComplete: Bool { self == .recorded || self == .found }
    }

    /// Counts up when a key changes its meaning or goes; new keys may come at any time.
    let version = 1
    /// When it was told, in UTC, after ISO 8601.
    let time: String
    /// Its place in the batch, and of how many takes.
    let number: Int
    let count: Int
    /// The line of the manifest where its row begins.
    let line: Int
    /// Which one of its row it is.
    let repetition: Int
    /// Its files, as the manifest names them.
    let outputs: [String]
    let prompt: String?
    let status: Status
    /// How often it was tried.
    let attempts: Int
    /// Why it failed.
    let message: String?
    /// Of the last attempt; nil where nothing came of that.
    let report: ReportRecord?

    init(_ take: BatchTake, of count: Int, _ outcome: TakeOutcome, attempts: Int) {
        time = EventRecord.text(of: .now)
        number = take.number
        self.count = count
        line = take.line
        repetition = take.repetition
        outputs = take.paths
        prompt = take.prompt
        status = outcome.status
        self.attempts = attempts
        message = outcome.message
        report = outcome.report.map { ReportRecord($0, isStrict: take.isStrict) }
    }
}
