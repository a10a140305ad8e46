import ArgumentParser
import FoundationEssentials

/// The file that the report of a take is written to, as JSON.
struct ReportFile {
    private let path: String
    private let replacesExisting: Bool

    /// Refuses what can be known to fail, before anything is recorded.
    init(path: String, replacesExisting: Bool) throws {
        self.path = path
        self.replacesExisting = replacesExisting
        let files = FileManager.default
        guard replacesExisting || !files.fileExists(atPath: path) else {
            throw ValidationError("the report '\(path)' exists already. Choose another name, or give --force.")
        }
        let directory = URL(filePath: path).deletingLastPathComponent().path
        guard files.isWritableFile(atPath: directory) else {
            throw ValidationError("the report '\(path)' cannot be created: '\(directory)' cannot be written.")
        }
    }

    /// Writes it, whole or not at all.
    func write(_ report: ReportRecord) {
        do {
            let options: Data.WritingOptions = replacesExisting ? .atomic : .withoutOverwriting
            try Data(JSONText.line(report).utf8).write(to: URL(filePath: path), options: options)
        } catch {
            StandardError.write("accrec: cannot write the report to '\(path)': \(error). The take itself is kept.\n")
        }
    }
}
