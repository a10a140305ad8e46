import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

@Suite struct ResultsFileTests {
    private static let line =
        #"{"attempts":1,"count":1,"line":2,"number":1,"outputs":["a.wav"],"repetition":1,"status":"recorded","#
        + #""report":{"outputs":[{"path":"a.wav","frames":7,"bytes":58}]},"time":"","version":1}"# + "\n"

    private func withFile(_ text: String, _ body: (URL) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "r.jsonl")
            try Data(text.utf8).write(to: file)
            try await body(file)
        }
    }

    @Test func incompleteLineIsRemoved() async throws {
        try await withFile("{\"attempts\":1,\"out") { file in
            _ = try ResultsFile(path: file.path, isContinued: true)
            #expect(try Data(contentsOf: file).isEmpty)
        }
        for half in ["", "{\"attempts\":1,\"out", "\u{0}\u{0}\u{0}"] {
            try await withFile(Self.line + half) { file in
                let results = try ResultsFile(path: file.path, isContinued: true)
                let prior = await results.priorResults[["a.wav"]]
                #expect(prior?.status == .recorded && prior?.output(at: "a.wav")?.frames == 7)
                #expect(try String(contentsOf: file, encoding: .utf8) == Self.line)
            }
        }
    }

    @Test func otherFilesAreLeftAlone() async throws {
        for text in [Self.line, "notes\n", Self.line + "{}\n", "notes without an end", "{\"a\":1}", "\u{0}\u{0}"] {
            try await withFile(text) { file in
                let isContinued = text != Self.line
                let failure = try #require(throws: RunFailure.self) {
                    _ = try ResultsFile(path: file.path, isContinued: isContinued)
                }
                #expect("\(failure)".contains("--results"))
                #expect(try String(contentsOf: file, encoding: .utf8) == text)
            }
        }
    }

    @Test func invalidLineIsReportedByNumber() async throws {
        let long = String(repeating: "[", count: 20 << 20)
        let lines = [
            "[]", "{\"outputs\":[\(String(repeating: "[", count: 100_000))", "\u{0}", "{\"frames\":1e999}", long,
        ]
        for line in lines {
            try await withFile(Self.line + "\n" + line + "\n") { file in
                let failure = try #require(throws: RunFailure.self) {
                    _ = try ResultsFile(path: file.path, isContinued: true)
                }
                #expect(failure.cause == "its line 3 is not a result of a batch")
            }
        }
    }

    @Test func longResultsAreReadCompletely() async throws {
        let lines = (0..<2_000).map {
            Self.line.replacing("a.wav", with: "\($0)\(String(repeating: "x", count: 100)).wav")
        }
        try await withFile(lines.joined() + Self.line + "half") { file in
            let results = try ResultsFile(path: file.path, isContinued: true)
            await #expect(results.priorResults.count == 2_001)
            #expect(try Data(contentsOf: file).count == (lines.joined() + Self.line).utf8.count)
        }
    }

    @Test func fileIsLockedByOneBatch() async throws {
        try await withFile("") { file in
            let first = try ResultsFile(path: file.path, isContinued: false)
            let failure = try #require(throws: RunFailure.self) {
                _ = try ResultsFile(path: file.path, isContinued: true)
            }
            #expect(failure.cause == "another batch is writing it")
            await #expect(first.priorResults.isEmpty)
        }
    }

    @Test(
        "A result for which the disk has no room leaves nothing of itself in the file, which goes on with the next one",
        .enabled(if: SmallDisk.isPossible, "\(SmallDisk.absence)"))
    func fullDisk() async throws {
        func record(_ name: String, prompt: String? = nil) throws -> ResultRecord {
            let outputs = [try RecordingOutput(path: name)]
            let take = BatchTake(
                line: 1, repetition: 1, settings: .init(.init(), outputs: outputs), outputs: outputs,
                duration: 1, endsByKey: false, prompt: prompt)
            return ResultRecord(take, of: 3, BatchTake.Outcome(status: .recorded), attempts: 1)
        }
        try await SmallDisk.with(byteCount: 64 << 10) { disk in
            let file = disk.directory.appending(path: "r.jsonl")
            let results = try ResultsFile(path: file.path, isContinued: false)
            try await results.append(record("a.wav"))
            let before = try Data(contentsOf: file)
            let failure = await #expect(throws: RunFailure.self) {
                try await results.append(record("b.wav", prompt: String(repeating: "x", count: 100_000)))
            }
            #expect(failure?.cause == "No space left on device")
            #expect(try Data(contentsOf: file) == before)
            try await results.append(record("c.wav"))
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2 && lines.last?.contains("c.wav") == true)
        }
    }

    @Test func fileIsBesideTheManifest() {
        #expect(ResultsFile.path(besides: "/x/y.z/takes.toml") == "/x/y.z/takes.results.jsonl")
        #expect(ResultsFile.path(besides: "takes.csv") == "takes.results.jsonl")
    }
}
