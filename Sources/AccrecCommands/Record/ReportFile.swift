import ACCAudioRecorder
import FoundationEssentials
import Glibc

/// The file for the JSON report of a take.
final class ReportFile: Sendable {
    private let file: TextFile

    /// Checks what can be checked before recording.
    init(path: String, replacesExisting: Bool, makesDirectories: Bool) throws(ACCAudioRecorderError) {
        if replacesExisting, !Self.isReplaceable(path) {
            throw .outputFailed(
                .init(
                    .fileExists, "cannot replace '\(path)'", cause: "it is not a report",
                    remedy: "Use another name for the report."))
        }
        file = try TextFile(
            path: path, replacesExisting: replacesExisting, makesDirectories: makesDirectories)
    }

    /// What a report has.
    private struct Content: Decodable {
        let ending: String
        let exitStatus: Int32
    }

    /// Whether there is nothing at a path, or an empty file, or an earlier report: `--force` means the recording.
    private static func isReplaceable(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return true }
        guard let text = try? Data(contentsOf: URL(filePath: path)) else { return false }
        return (try? JSONText.decode(Content.self, from: text)) != nil
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
