import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

@testable import AccrecCommands

/// A recording of more files than its report lists one by one, which are 1,024.
@Suite(.timeLimit(.minutes(2)), .tags(.lengthy))
struct ManyFilesTests {
    private static let (fileCount, keptCount) = (1_700, 1_100)
    private static let names = (1...fileCount).map { String(format: "take-%03d.wav", $0) }

    @Test("Report, events, retention and programs have each of many files once, also those that the report sums up")
    func manyFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let (files, log) = (directory.appending(path: "files"), directory.appending(path: "log"))
            try FileManager.default.createDirectory(at: files, withIntermediateDirectories: false)
            let program = ["-c", #"echo "${ACCREC_FILE##*/}" >>"$1""#, "sh", log.path]
            let queue = ExecQueue(ExecQueue.Program(path: "/bin/sh", arguments: program), timeout: 60)
            let (report, events) = try await record(to: files, queue)
            try expectSums(report)

            var (completed, removed): ([String], [String]) = ([], [])
            for event in events {
                switch event {
                case .fileOpened(_, let report?): completed.append(Self.name(report))
                case .fileRemoved(let path, .count): removed.append(URL(filePath: path).lastPathComponent)
                case .warning(let warning): Issue.record("\(warning)")
                default: continue
                }
            }
            #expect(completed == Array(Self.names.dropLast()))
            #expect(removed == Array(Self.names.dropLast(Self.keptCount)))
            let present = try FileManager.default.contentsOfDirectory(atPath: files.path).filter { !$0.hasPrefix(".") }
            #expect(present.sorted() == Self.names.suffix(Self.keptCount).sorted())
            let ran = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
            #expect(ran.sorted() == Self.names.sorted())
        }
    }

    /// Records a second to each file, and half a second to the last one. Programs keep up.
    private func record(to directory: URL, _ queue: ExecQueue) async throws -> (RecordingReport, [RecordingEvent]) {
        var configuration = ACCAudioRecorder.Configuration(
            sampleRate: 8_000, channelCount: 1, bufferSize: 80, splitting: .init(interval: .seconds(1)))
        configuration.retention.fileCount = Self.keptCount
        configuration.heldFiles = queue.held
        let clock = SyntheticClock()
        let recorder = ACCAudioRecorder(
            configuration: configuration,
            source: try SyntheticSource(sampleRate: 8_000, channelCount: 1, pace: .clock(clock)) { _, _ in 0.5 })
        let pattern = try FilePattern(directory.path + "/take-{n}.wav")
        let streams = try await recorder.startRecording(to: [
            RecordingOutput(.pattern(pattern), container: .wav, syncInterval: .zero)
        ])
        var (events, completedCount) = (streams.events.makeAsyncIterator(), 0)
        var all: [RecordingEvent] = []
        func receive(until count: Int) async throws {
            while completedCount < count, let event = await events.next() {
                await queue.receive(event) { Issue.record("\($0)") }
                if case .fileOpened(_, .some) = event { completedCount += 1 }
                all.append(event)
            }
            try await eventually("programs of \(count) files") { await queue.pendingCount == 0 }
        }
        clock.advance(by: .milliseconds(500))
        for second in 1..<Self.fileCount {
            clock.advance(by: .seconds(1))
            // More would wait for the output than it may be behind.
            if second % 20 == 0 { try await receive(until: second) }
        }
        try await receive(until: Self.fileCount - 1)
        let report = try #require(await recorder.finishRecording())
        try await receive(until: .max)
        return (report, all)
    }

    /// The first 512 files are removed, and some of those between them and the last 512 that were complete before the end.
    private func expectSums(_ report: RecordingReport) throws {
        let sum = try #require(report.outputs.first)
        #expect(report.outputs.count == 514 && sum.fileCount == Self.keptCount - 513 && sum.path == nil)
        #expect(sum.firstFrame == (Self.fileCount - Self.keptCount) * 8_000 && sum.frameCount == sum.fileCount * 8_000)
        #expect(report.outputs.dropFirst().map(Self.name) == Self.names.suffix(513))
        for (file, next) in zip(report.outputs, report.outputs.dropFirst()) {
            #expect(file.firstFrame + file.frameCount == next.firstFrame)
        }
        #expect(report.frameCount == Self.fileCount * 8_000 - 4_000)
    }

    private static func name(_ report: OutputReport) -> String { URL(filePath: report.path ?? "").lastPathComponent }
}
