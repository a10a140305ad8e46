import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// The program that is run for each complete file.
@Suite(.timeLimit(.minutes(1)))
struct FileJobsTests {
    @Test("Each take's file gets one run of the program, also where a later take replaces the file")
    func everyTake() async throws {
        try await TemporaryDirectory.with { directory in
            let (file, log) = (directory.appending(path: "take.wav"), directory.appending(path: "log"))
            try Data("samples".utf8).write(to: file)
            let script = #"echo "$ACCREC_FILE" >>"$1""#
            let jobs = FileJobs(
                FileProgram(path: "/bin/sh", arguments: ["-c", script, "sh", log.path]), timeout: 30)
            let output = OutputReport(
                output: try RecordingOutput(path: file.path), sampleRate: 48_000,
                channelMap: .standard(channelCount: 1), frameCount: 1, byteCount: 7)
            let report = RecordingReport(
                source: .made("source"), sampleRate: 48_000, channelCount: 1, frameCount: 1, outputs: [output])
            for take in 1...3 {
                for event in [RecordingEvent.fileCompleted(output), .finished(report)] {
                    await jobs.receive(event) { Issue.record("\($0)") }
                }
                try await eventually("run \(take)") {
                    (try? String(contentsOf: log, encoding: .utf8)) == String(repeating: file.path + "\n", count: take)
                }
            }
        }
    }
}
