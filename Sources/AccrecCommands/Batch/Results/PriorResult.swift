import ACCAudioRecorder

/// An earlier line of the results file.
struct PriorResult: Decodable, Sendable {
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
