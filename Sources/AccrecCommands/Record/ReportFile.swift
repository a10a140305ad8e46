import ACCAudioRecorder

/// The file for the JSON report of a take.
final class ReportFile: Sendable {
    private let file: TextFile

    /// Checks what can be checked before recording.
    init(path: String, replacesExisting: Bool, makesDirectories: Bool) throws(ACCAudioRecorderError) {
        file = try TextFile(
            path: path, replacesExisting: replacesExisting, makesDirectories: makesDirectories)
    }

    /// Writes the report atomically.
    ///
    /// - Returns: Success, or the status for a lost report, after printing a message.
    func write(_ report: ReportRecord) -> ExitStatus {
        do {
            try file.write(JSONText.line(report))
            return .success
        } catch {
            StandardError.tell("\(ErrorText.line(error)) The recording itself is kept.")
            return (error as? ACCAudioRecorderError).map(ExitStatus.init) ?? .failure
        }
    }
}
