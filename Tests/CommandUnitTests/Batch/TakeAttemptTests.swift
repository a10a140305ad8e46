import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// Attempts at a take of a batch: what they may replace, and for which files `--exec` runs.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct TakeAttemptTests {
    private static let other = Data("not the batch's".utf8)

    private static func take(_ file: URL, replacesExisting: Bool = false) throws -> BatchTake {
        let outputs = [try RecordingOutput(path: file.path, replacesExisting: replacesExisting)]
        return BatchTake(
            line: 1, repetition: 1,
            settings: .init(.init(sampleRate: 48_000, channelCount: 1, bufferSize: 480), outputs: outputs),
            outputs: outputs, duration: 0.5,
            endsByKey: false, prompt: nil)
    }

    /// Makes an attempt with a source of this length.
    private static func attempt(
        _ take: BatchTake, frames: Int = 24_000, replacing files: Set<FileVersion> = [], execQueue: ExecQueue? = nil
    ) async throws -> BatchTake.Outcome {
        let source = try SyntheticSource(
            samples: [Int16](repeating: 1, count: frames), sampleRate: 48_000, channelCount: 1)
        let recorder = ACCAudioRecorder(configuration: take.configuration, source: source)
        let view = RecordingView(of: take, among: 1, mode: .messages, try DisplayOptions.parse([]))
        let attempt = BatchTake.Attempt(
            take: take, recorder: recorder, replaceable: files, view: view, execQueue: execQueue)
        return try await RuntimeDirectory.with { _ in
            // A source that ends early is one of a take that is interrupted.
            await attempt.run(isEnding: { frames < 24_000 }, tell: { _ in })
        }
    }

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        try await TemporaryDirectory.with { try await body($0.appending(path: "one.wav")) }
    }

    private static func names(beside file: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).sorted()
    }

    @Test("A further attempt replaces what an earlier one of the take has left")
    func replacesItsOwn() async throws {
        try await withFile { file in
            let take = try Self.take(file)
            let first = try await Self.attempt(take, frames: 4_800)
            #expect(first.status == .interrupted && !first.files.isEmpty)
            let second = try await Self.attempt(take, replacing: first.files)
            #expect(second.status == .recorded && second.files != first.files)
            #expect(try PCMFile(wav: file).frames == 24_000 && Self.names(beside: file) == ["one.wav"])
        }
    }

    @Test("A further attempt replaces no file that the take did not make, and says that none would")
    func replacesNoOther() async throws {
        try await withFile { file in
            let take = try Self.take(file)
            let first = try await Self.attempt(take, frames: 4_800)
            try Self.other.write(to: file)
            for files in [[], first.files] {
                let outcome = try await Self.attempt(take, replacing: files)
                #expect(outcome.status == .failed && outcome.isFinal && outcome.files.isEmpty)
                #expect(outcome.message?.contains("already exists") == true)
            }
            #expect(try Data(contentsOf: file) == Self.other && Self.names(beside: file) == ["one.wav"])
        }
    }

    @Test("A file that comes while a further attempt records stays, and what was recorded is beside it")
    func leavesALaterFile() async throws {
        try await withFile { file in
            let take = try Self.take(file)
            let first = try await Self.attempt(take, frames: 4_800)
            let output = try #require(take.outputs(replacing: first.files).first)
            #expect(output.replacesExisting)
            try Self.other.write(to: file)
            let recorder = ACCAudioRecorder(
                configuration: take.configuration,
                source: try SyntheticSource(
                    samples: [Int16](repeating: 1, count: 24_000), sampleRate: 48_000, channelCount: 1))
            await #expect(throws: ACCAudioRecorderError.self) { _ = try await recorder.startRecording(to: [output]) }
            #expect(try Data(contentsOf: file) == Self.other)
        }
    }

    @Test("A continued batch replaces what is there when it begins, and --force any file")
    func replacesExisting() async throws {
        try await withFile { file in
            let take = try Self.take(file)
            try Self.other.write(to: file)
            #expect(try await Self.attempt(take, replacing: take.existingFiles).status == .recorded)
            try Self.other.write(to: file)
            #expect(try await Self.attempt(Self.take(file, replacesExisting: true)).status == .recorded)
            #expect(try PCMFile(wav: file).frames == 24_000)
        }
    }

    @Test("The program of --exec runs for a complete take only, once")
    func programs() async throws {
        try await withFile { file in
            let log = file.deletingLastPathComponent().appending(path: "log")
            let script = #"echo "$ACCREC_FILE" >>"$1""#
            let execQueue = ExecQueue(
                ExecQueue.Program(path: "/bin/sh", arguments: ["-c", script, "sh", log.path]), timeout: 30)
            let take = try Self.take(file)
            let first = try await Self.attempt(take, frames: 4_800, execQueue: execQueue)
            #expect(first.status == .interrupted)
            #expect(await execQueue.pendingCount == 0)
            let second = try await Self.attempt(take, replacing: first.files, execQueue: execQueue)
            #expect(second.status == .recorded)
            try await eventually("the program's end") { await execQueue.pendingCount == 0 }
            #expect(try String(contentsOf: log, encoding: .utf8) == file.path + "\n")
        }
    }
}
