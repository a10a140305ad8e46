import ACCAudioRecorder
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import AccrecCommands

/// The program that is run for each complete file.
@Suite(.timeLimit(.minutes(1)))
struct ExecQueueTests {
    @Test("Each recording's file gets one run of the program, also where a later recording replaces the file")
    func everyTake() async throws {
        try await TemporaryDirectory.with { directory in
            let (file, log) = (directory.appending(path: "take.wav"), directory.appending(path: "log"))
            try Data("samples".utf8).write(to: file)
            let script = #"echo "$ACCREC_FILE" >>"$1""#
            let execQueue = ExecQueue(
                ExecQueue.Program(path: "/bin/sh", arguments: ["-c", script, "sh", log.path]), timeout: 30)
            let output = try Self.report(of: file)
            for recording in 1...3 {
                for event in [RecordingEvent.fileClosed(output), .finished(Self.report([output]))] {
                    await execQueue.receive(event) { Issue.record("\($0)") }
                }
                try await eventually("run \(recording)") {
                    (try? String(contentsOf: log, encoding: .utf8))
                        == String(repeating: file.path + "\n", count: recording)
                }
            }
        }
    }

    private static func report(of file: URL) throws -> OutputReport {
        var report = OutputReport(
            output: try RecordingOutput(path: file.path), sampleRate: 48_000, channelMap: .standard(channelCount: 1),
            frameCount: 1, byteCount: 7)
        report.versions = [try #require(FileVersion(path: file.path))]
        return report
    }

    private static func report(_ outputs: [OutputReport]) -> RecordingReport {
        RecordingReport(source: .made("source"), sampleRate: 48_000, channelCount: 1, frameCount: 1, outputs: outputs)
    }

    @Test(
        "A name that is used again in one recording is another file, and one that is to get its name later comes then")
    func names() async throws {
        try await TemporaryDirectory.with { directory in
            let (file, log) = (directory.appending(path: "take.wav"), directory.appending(path: "log"))
            let script = #"cat "$ACCREC_FILE" >>"$1""#
            let execQueue = ExecQueue(
                ExecQueue.Program(path: "/bin/sh", arguments: ["-c", script, "sh", log.path]), timeout: 30)
            func receive(_ event: RecordingEvent) async { await execQueue.receive(event) { Issue.record("\($0)") } }
            func wait(for text: String) async throws {
                try await eventually(text) { (try? String(contentsOf: log, encoding: .utf8)) == text }
            }
            try Data("first ".utf8).write(to: file)
            var provisional = try Self.report(of: file)
            provisional.isProvisional = true
            await receive(.fileOpened(path: "next.wav", after: provisional))
            try Data("second ".utf8).write(to: file, options: .atomic)
            await receive(.fileOpened(path: "next.wav", after: try Self.report(of: file)))
            try await wait(for: "second ")
            try Data("third ".utf8).write(to: file, options: .atomic)
            await receive(.fileOpened(path: "next.wav", after: try Self.report(of: file)))
            try await wait(for: "second third ")
            provisional.isProvisional = false
            await receive(.finished(Self.report([provisional, try Self.report(of: file)])))
            try await wait(for: "second third third ")
        }
    }

    @Test("A file that is gone before its program could be run is told")
    func goneFile() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "take.wav")
            try Data("samples".utf8).write(to: file)
            let report = try Self.report(of: file)
            try FileManager.default.removeItem(at: file)
            let execQueue = ExecQueue(ExecQueue.Program(path: "/bin/true", arguments: []), timeout: 30)
            let messages = Mutex<[String]>([])
            await execQueue.receive(.fileClosed(report)) { message in messages.withLock { $0.append(message) } }
            #expect(messages.withLock { $0 } == ["--exec: '/bin/true' for '\(file.path)' failed: the file is gone"])
        }
    }
}
