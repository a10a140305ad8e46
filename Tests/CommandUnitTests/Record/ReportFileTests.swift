import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// The file of `--report`.
@Suite struct ReportFileTests {
    private static func report(_ path: String, replacesExisting: Bool = true) throws -> RecordCommand.ReportFile {
        try RecordCommand.ReportFile(path: path, replacesExisting: replacesExisting, makesDirectories: false)
    }

    @Test("--force replaces an earlier report, or an empty file")
    func replacesReports() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "report.json")
            try Data().write(to: file)
            for ending in [RecordingReport.Ending.finished, .limit] {
                let record = ReportRecord(Example.report(ending), isStrict: false)
                #expect(try Self.report(file.path).write(record) == .success)
                #expect(try String(contentsOf: file, encoding: .utf8) == JSONText.line(record))
            }
            #expect(throws: ACCAudioRecorderError.self) { _ = try Self.report(file.path, replacesExisting: false) }
        }
    }

    @Test(
        "--force replaces nothing but a report, whatever else is JSON",
        arguments: ["{\"name\":\"package\",\"version\":\"1.0.0\"}\n", "{}", "notes", "{\"ending\":\"finished\"}\n"])
    func leavesOthers(text: String) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "package.json")
            try Data(text.utf8).write(to: file)
            let refusal = #expect(throws: ACCAudioRecorderError.self) { _ = try Self.report(file.path) }
            #expect(refusal?.failure?.reason == .fileExists)
            #expect(try String(contentsOf: file, encoding: .utf8) == text)
        }
    }
}
