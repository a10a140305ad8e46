import ACCAudioRecorder
import FoundationEssentials

/// A line of a batch's results file: the result of one take. The schema is `schemas/batch-1.json`.
struct ResultRecord: Encodable, Sendable {
    /// The status of a take.
    enum Status: String, Codable, CaseIterable, Sendable {
        /// Recorded, and its files are complete.
        case recorded
        /// Its files were already complete, but no earlier line recorded that.
        case found
        /// Not recorded, or only partly.
        case failed
        /// The batch ended during the take.
        case interrupted
        /// Skipped by the person who is recorded.
        case skipped

        /// Whether the files are complete.
        var isComplete: Bool { self == .recorded || self == .found }
    }

    /// Incremented when a key changes its meaning or is removed; new keys may be added at any time.
    let version = 1
    /// When this line was written, in UTC (ISO 8601).
    let time: String
    /// Its number in the batch, and the number of takes.
    let number: Int
    let count: Int
    /// The manifest line where its row begins.
    let line: Int
    /// The number of the repetition within its row, counted from 1.
    let repetition: Int
    /// Its files, as named in the manifest.
    let outputs: [String]
    let prompt: String?
    let status: Status
    /// The number of attempts.
    let attempts: Int
    /// The reason for a failure.
    let message: String?
    /// The report of the last attempt; nil if it did not start.
    let report: ReportRecord?

    init(_ take: BatchTake, of count: Int, _ outcome: TakeOutcome, attempts: Int) {
        time = Date.now.textInJSON
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
