import ACCAudioRecorder

/// What an earlier line of the results tells of a take.
struct ToldResult: Decodable, Sendable {
    /// What a file was said to hold.
    struct Output: Decodable, Sendable {
        let path: String?
        let frames: Int
        let bytes: Int
    }

    struct Report: Decodable, Sendable {
        let outputs: [Output]
    }

    let outputs: [String]
    let status: ResultRecord.Status
    let report: Report?

    init(_ record: ResultRecord) {
        (outputs, status) = (record.outputs, record.status)
        report = record.report.map { report in
            Report(outputs: report.outputs.map { Output(path: $0.path, frames: $0.frames, bytes: $0.bytes) })
        }
    }

    /// What is going to be told of a take that was recorded.
    init(_ report: RecordingReport, of take: BatchTake) {
        (outputs, status) = (take.paths, .recorded)
        self.report = Report(
            outputs: report.outputs.map { Output(path: $0.path, frames: $0.frameCount, bytes: $0.byteCount) })
    }

    /// What was told of a file of the take.
    func output(at path: String) -> Output? { report?.outputs.first { $0.path == path } }
}
