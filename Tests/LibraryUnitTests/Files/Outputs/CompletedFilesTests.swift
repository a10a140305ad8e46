import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The files of a recording in several files: which of them replace others, and which are removed.
@Suite(.timeLimit(.minutes(1)))
struct CompletedFilesTests {
    private static let old = Data("not to be lost".utf8)

    /// A recording by a clock, to `take.wav` in a directory.
    private struct Recording {
        let directory: URL
        let clock = SyntheticClock()
        let recorder: ACCAudioRecorder
        private var events: AsyncStream<RecordingEvent>.Iterator
        private var told: [RecordingEvent] = []

        init(
            in directory: URL, faults: [SyntheticSource.Fault] = [],
            _ change: (inout ACCAudioRecorder.Configuration) -> Void = { _ in }
        ) async throws {
            self.directory = directory
            var configuration = ACCAudioRecorder.Configuration(sampleRate: 48_000, channelCount: 1, bufferSize: 480)
            change(&configuration)
            recorder = ACCAudioRecorder(
                configuration: configuration,
                source: try SyntheticSource(
                    sampleRate: 48_000, channelCount: 1, pace: .clock(clock), faults: faults
                ) { frame, _ in Float(frame) * 0x1p-24 })
            let path = directory.appending(path: "take.wav").path
            events = try await recorder.startRecording(
                to: [RecordingOutput(path: path, replacesExisting: true)]
            ).events.makeAsyncIterator()
        }

        /// Records so many seconds, and then continues in the next file.
        ///
        /// - Returns: The report of the file that is complete.
        mutating func record(seconds: Int) async throws -> OutputReport {
            clock.advance(by: .seconds(seconds))
            await recorder.startNewFiles()
            clock.advance(by: .milliseconds(500))
            while let event = await events.next() {
                told.append(event)
                if case .fileOpened(_, let report?) = event { return report }
            }
            throw CancellationError()
        }

        /// The events up to the end.
        mutating func end() async -> [RecordingEvent] {
            while let event = await events.next() { told.append(event) }
            return told
        }

        var names: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: directory.path)
                    .filter { !$0.hasPrefix(".accrec-files-") }.sorted()
            }
        }

        func frames(_ name: String) throws -> Int { try PCMFile(wav: directory.appending(path: name)).frames }
    }

    private func withOldFiles(_ body: (URL) async throws -> Void) async throws {
        try await TemporaryDirectory.with { directory in
            for name in ["take.wav", "take-002.wav"] { try Self.old.write(to: directory.appending(path: name)) }
            try await body(directory)
        }
    }

    @Test("An older file is replaced at the end of a recording in several files; those of later names are not ours")
    func replacesAtTheEnd() async throws {
        try await withOldFiles { directory in
            var recording = try await Recording(in: directory)
            let cut = try await recording.record(seconds: 2)
            let (first, second) = (directory.appending(path: "take.wav"), directory.appending(path: "take-002.wav"))
            #expect(try Data(contentsOf: first) == Self.old)
            #expect(try recording.frames("take-partial.wav") == 96_000)
            recording.clock.advance(by: .seconds(1))
            let report = try #require(await recording.recorder.finishRecording())
            #expect(try recording.names == ["take-002.wav", "take-003.wav", "take.wav"])
            #expect(report.outputs.map(\.path) == [first.path, directory.appending(path: "take-003.wav").path])
            #expect(try recording.frames("take.wav") == 96_000 && Data(contentsOf: second) == Self.old)
            #expect(cut.isProvisional && report.outputs.allSatisfy { !$0.isProvisional })
            #expect(cut.versions == report.outputs[0].versions)
            let warnings = await recording.end().filter { if case .warning = $0 { true } else { false } }
            #expect(warnings.isEmpty)
        }
    }

    @Test("A recording in several files that fails leaves the older file, and says where its own one is")
    func replacesNothing() async throws {
        try await withOldFiles { directory in
            let unplugged = SyntheticSource.Fault(.removed(nil), atFrame: 144_000)
            var recording = try await Recording(in: directory, faults: [unplugged]) {
                $0.interruptions.timeout = .seconds(1)
            }
            _ = try await recording.record(seconds: 2)
            let end = Task { [clock = recording.clock] in
                while !Task.isCancelled {
                    clock.advance(by: .milliseconds(100))
                    await Task.yield()
                }
            }
            let told = await recording.end()
            end.cancel()
            let report = try #require(told.report)
            #expect(report.outputs.map(\.frameCount).first == 96_000 && !report.failures.isEmpty)
            let partial = directory.appending(path: "take-partial.wav")
            #expect(report.outputs.first?.path == partial.path)
            #expect(try recording.frames("take-partial.wav") == 96_000)
            for name in ["take.wav", "take-002.wav"] {
                #expect(try Data(contentsOf: directory.appending(path: name)) == Self.old)
            }
            let texts = told.compactMap { if case .warning(let warning) = $0 { "\(warning)" } else { nil } }
            #expect(texts.contains { $0.contains("cannot replace") }, "\(texts)")
        }
    }

    @Test("Of a recording in several files, the current one can be discarded alone")
    func discardsTheCurrentFile() async throws {
        try await withOldFiles { directory in
            var recording = try await Recording(in: directory)
            _ = try await recording.record(seconds: 2)
            _ = try await recording.record(seconds: 1)
            let report = try #require(await recording.recorder.discardCurrentFiles())
            #expect(report.ending == .discarded && report.outputs.map(\.frameCount).first == 96_000)
            #expect(report.outputs.count == 2)
            #expect(try recording.names == ["take-002.wav", "take-003.wav", "take.wav"])
            #expect(try recording.frames("take.wav") == 96_000)
        }
    }

    @Test("Files that a program needs are not removed before it has let go of them, whatever it has made of them")
    func heldFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let held = HeldFiles()
            var recording = try await Recording(in: directory) {
                $0.retention.fileCount = 1
                $0.heldFiles = held
            }
            let first = try await recording.record(seconds: 1)
            let second = try await recording.record(seconds: 1)
            #expect(try recording.names == ["take-002.wav", "take-003.wav", "take.wav"])
            // One program changes its file, the other one replaces its.
            let urls = [first, second].map { URL(filePath: $0.path ?? "") }
            let handle = try FileHandle(forWritingTo: urls[0])
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("tag".utf8))
            try handle.close()
            try Data("converted".utf8).write(to: urls[1], options: .atomic)
            for (report, url) in zip([first, second], urls) {
                held.release(report.versions[0], as: FileVersion(path: url.path))
            }
            _ = try await recording.record(seconds: 1)
            try await eventually("the removal") { try recording.names == ["take-003.wav", "take-004.wav"] }
            let report = try #require(await recording.recorder.finishRecording())
            #expect(
                report.outputs.map { $0.path.map { URL(filePath: $0).lastPathComponent } } == [
                    "take-003.wav", "take-004.wav",
                ])
            let warnings = await recording.end().filter { if case .warning = $0 { true } else { false } }
            #expect(warnings.isEmpty)
        }
    }
}
