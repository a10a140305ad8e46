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
    /// What the check of its files found; nil if they were not checked.
    let checks: [FileCheck]?
    /// The report of the last attempt; nil if it did not start.
    let report: ReportRecord?

    init(_ take: BatchTake, of count: Int, _ outcome: BatchTake.Outcome, attempts: Int) {
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
        checks = outcome.checks
        report = outcome.report.map { ReportRecord($0, isStrict: take.isStrict) }
    }
}

extension ResultRecord {
    /// An earlier line of the results file.
    struct Prior: Decodable, Sendable {
        /// A file and its reported size.
        struct Output: Decodable, Sendable {
            let path: String?
            let frames: Int
            let bytes: Int
        }

        struct Report: Decodable, Sendable {
            let outputs: [Output]

            init(_ report: RecordingReport) {
                outputs = report.outputs.map { Output(path: $0.path, frames: $0.frameCount, bytes: $0.byteCount) }
            }
        }

        let outputs: [String]
        let status: ResultRecord.Status
        let report: Report?

        init(_ record: ResultRecord) {
            (outputs, status) = (record.outputs, record.status)
            report = record.report.map { Report($0.report) }
        }

        /// The result of a take that has just been recorded.
        init(_ report: RecordingReport, of take: BatchTake) {
            (outputs, status) = (take.paths, .recorded)
            self.report = Report(report)
        }

        /// The reported size of a file of the take, or nil if it was not reported.
        func output(at path: String) -> Output? { report?.outputs.first { $0.path == path } }
    }
}

extension BatchTake {
    /// The result of a take, or of an attempt at it.
    struct Outcome: Sendable {
        let status: ResultRecord.Status
        /// The reason for a failure.
        var message: String?
        /// Nil if nothing was recorded.
        var report: RecordingReport?
        /// What the check of its files found; nil if they were not checked.
        var checks: [FileCheck]?
        /// Whether another attempt would fail as well, because a file is in the way that is not the batch's.
        var isFinal = false

        /// What the attempt has left.
        var files: Set<FileVersion> { Set(report?.outputs.flatMap(\.versions) ?? []) }
    }
}
