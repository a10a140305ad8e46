import ACCAudioRecorder

/// The report of a take as JSON, with the program's exit status: the last event, and the content of
/// `accrec record --report`.
struct ReportRecord: Encodable, Sendable {
    let report: RecordingReport
    private let exitStatus: Int32

    private enum CodingKeys: CodingKey {
        case exitStatus
    }

    init(_ report: RecordingReport, isStrict: Bool) {
        self.report = report
        exitStatus = ExitStatus(report, isStrict: isStrict).rawValue
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(exitStatus, forKey: .exitStatus)
    }
}
