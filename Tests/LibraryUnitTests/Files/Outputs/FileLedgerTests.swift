import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ACCAudioRecorder

/// The files that are removed over several recordings by one pattern, and those that never are.
@Suite(.timeLimit(.minutes(1)))
struct FileLedgerTests {
    /// Recordings by a clock, to files of a pattern in a directory.
    private final class Logger: Sendable {
        let directory: URL
        let clock = SyntheticClock()
        let policy: RetentionPolicy
        let held: HeldFiles?
        private let pattern: String
        private let begin = MonotonicClock.now()
        private let told = Mutex<[String]>([])

        init(
            in directory: URL, _ policy: RetentionPolicy, held: HeldFiles? = nil, pattern: String = "log-{n}.wav"
        ) {
            (self.directory, self.policy, self.held, self.pattern) = (directory, policy, held, pattern)
        }

        /// Records files of a second each in one recording, until a time after the last one.
        func record(_ count: Int = 1, then pause: Duration = .zero) async throws {
            var configuration = ACCAudioRecorder.Configuration(sampleRate: 8_000, channelCount: 1, bufferSize: 80)
            (configuration.retention, configuration.heldFiles) = (policy, held)
            let source = try SyntheticSource(sampleRate: 8_000, channelCount: 1, pace: .clock(clock)) { _, _ in 0.5 }
            // Time passes between recordings as well.
            let now = begin + UInt64(clock.now.elapsed / .nanoseconds(1))
            let recorder = ACCAudioRecorder(
                configuration, SyntheticBackend(source, startTime: now), RecorderClock(clock))
            let path = directory.appending(path: pattern).path
            let streams = try await recorder.startRecording(to: [
                RecordingOutput(.pattern(try FilePattern(path)), container: .wav, syncInterval: .zero)
            ])
            for number in 1...count {
                clock.advance(by: .seconds(1))
                if number < count { await recorder.startNewFiles() }
            }
            await recorder.finishRecording()
            for await event in streams.events {
                switch event {
                case .fileRemoved(let path, let bound):
                    tell("\(bound) \(URL(filePath: path).lastPathComponent)")
                case .warning(let warning): tell("\(warning)".replacing(directory.path, with: "…"))
                default: continue
                }
            }
            clock.advance(by: pause)
        }

        private func tell(_ text: String) { told.withLock { $0.append(text) } }

        /// What was removed, and warnings, since the last call.
        func takeTold() -> [String] {
            told.withLock { told in
                defer { told = [] }
                return told
            }
        }

        var names: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { !$0.hasPrefix(".") }
                    .sorted()
            }
        }

        var record: URL {
            get throws {
                let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
                return directory.appending(path: try #require(names.first { $0.hasPrefix(".accrec-files-") }))
            }
        }
    }

    @Test("Files of earlier recordings count, and numbers go on after those that were removed")
    func countsEarlierFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let logger = Logger(in: directory, RetentionPolicy(fileCount: 3))
            for _ in 1...4 { try await logger.record() }
            try await logger.record(3)
            #expect(try logger.names == ["log-005.wav", "log-006.wav", "log-007.wav"])
            #expect(logger.takeTold() == (1...4).map { "count log-00\($0).wav" })
        }
    }

    @Test(
        "That a killed recorder's file would stay, because its file system does not say when it was created, is told once",
        .enabled(if: SmallDisk.isPossible, "\(SmallDisk.absence)"))
    func unrecognizableFiles() async throws {
        try await SmallDisk.withoutBirthTimes { disk in
            let (unbounded, logger) = (
                Logger(in: disk.directory, RetentionPolicy(), pattern: "take-{n}.wav"),
                Logger(in: disk.directory, RetentionPolicy(fileCount: 2))
            )
            for logger in [unbounded, logger] { try await logger.record(3) }
            #expect(unbounded.takeTold() == [])
            #expect(
                logger.takeTold() == [
                    "cannot recognize '…/log-001.wav' later, should this recorder be killed: "
                        + "its file system does not say when a file was created. "
                        + "Delete the file that a killed recorder leaves yourself, once it is not needed.",
                    "count log-001.wav",
                ])
        }
    }

    @Test("Files are removed for their age and size, but not the newest one")
    func ageAndSize() async throws {
        try await TemporaryDirectory.with { directory in
            let logger = Logger(in: directory, RetentionPolicy(age: .seconds(100)))
            for _ in 1...3 { try await logger.record(then: .seconds(60)) }
            #expect(try logger.names == ["log-002.wav", "log-003.wav"])
            logger.clock.advance(by: .seconds(1_000))
            try await logger.record()
            #expect(try logger.names == ["log-004.wav"])
            #expect(logger.takeTold() == ["age log-001.wav", "age log-002.wav", "age log-003.wav"])
            let size = try Data(contentsOf: directory.appending(path: "log-004.wav")).count
            let bounded = Logger(in: directory, RetentionPolicy(byteCount: size * 5 / 2), pattern: "day-{n}.wav")
            for _ in 1...4 { try await bounded.record() }
            #expect(try bounded.names == ["day-003.wav", "day-004.wav", "log-004.wav"])
            let small = Logger(in: directory, RetentionPolicy(byteCount: 1), pattern: "day-{n}.wav")
            try await small.record()
            #expect(try small.names == ["day-005.wav", "log-004.wav"])
        }
    }

    @Test("What was not recorded under a policy, or was changed, replaced, renamed or copied, stays")
    func foreignFilesStay() async throws {
        try await TemporaryDirectory.with { directory in
            let logger = Logger(in: directory, RetentionPolicy(fileCount: 1))
            try Data("mine".utf8).write(to: directory.appending(path: "log-001.wav"))
            let unbounded = Logger(in: directory, RetentionPolicy())
            try await unbounded.record()
            let more = Logger(in: directory, RetentionPolicy(fileCount: 9))
            try await more.record(4)
            #expect(try logger.names.count == 6)
            // Files 3 to 6 are ours.
            let handle = try FileHandle(forWritingTo: directory.appending(path: "log-003.wav"))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("tag".utf8))
            try handle.close()
            let manager = FileManager.default
            let (fourth, fifth) = (directory.appending(path: "log-004.wav"), directory.appending(path: "log-005.wav"))
            let content = try Data(contentsOf: fourth)
            try manager.removeItem(at: fourth)
            try content.write(to: fourth)
            try manager.moveItem(at: fifth, to: directory.appending(path: "good.wav"))
            try await logger.record()
            #expect(
                try logger.names == [
                    "good.wav", "log-001.wav", "log-002.wav", "log-003.wav", "log-004.wav", "log-007.wav",
                ])
            let told = logger.takeTold()
            #expect(told.count == 3 && told.contains("count log-006.wav"), "\(told)")
            #expect(told.count { $0.contains("it was changed, or another file now has its name") } == 2)
            // They are no longer ours.
            try await logger.record()
            #expect(logger.takeTold() == ["count log-007.wav"])
        }
    }

    @Test("A file of a recorder that was killed is ours, unless another one has its name")
    func killedRecorders() async throws {
        for isReplaced in [false, true] {
            try await TemporaryDirectory.with { directory in
                let logger = Logger(in: directory, RetentionPolicy(fileCount: 1))
                let path = directory.appending(path: "log-001.wav").path
                let pattern = try FilePattern(directory.appending(path: "log-{n}.wav").path)
                let ledger = try #require(
                    FileLedger(of: .pattern(pattern), hasProgram: false) { Issue.record("\($0)") })
                try Data("part".utf8).write(to: URL(filePath: path))
                ledger.begin(path, number: 1)
                if isReplaced {
                    try FileManager.default.removeItem(atPath: path)
                    try Data("mine".utf8).write(to: URL(filePath: path))
                }
                try await logger.record()
                #expect(try logger.names == (isReplaced ? ["log-001.wav", "log-002.wav"] : ["log-002.wav"]))
            }
        }
    }

    @Test("A file that is being written is not removed")
    func currentFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let pattern = try FilePattern(directory.appending(path: "log-{n}.wav").path)
            let ledger = try #require(FileLedger(of: .pattern(pattern), hasProgram: false) { Issue.record("\($0)") })
            let file = try AtomicFile(path: directory.appending(path: "log-001.wav").path, replacesExisting: false)
            ledger.begin(directory.appending(path: "log-001.wav").path, number: 1)
            let logger = Logger(in: directory, RetentionPolicy(fileCount: 1))
            try await logger.record(2)
            #expect(try logger.names == ["log-001.wav", "log-003.wav"])
            _ = file.leave()
            try await logger.record()
            #expect(try logger.names == ["log-004.wav"])
        }
    }

    @Test("A file that a program needs stays over recordings, also where the program was started before the next one")
    func heldFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let (first, second) = (HeldFiles(), HeldFiles())
            var logger = Logger(in: directory, RetentionPolicy(fileCount: 1), held: first)
            try await logger.record(2)
            #expect(try logger.names.count == 2)
            // The next recorder has a program for the first file, which tags that; nobody knows of the second one.
            let tagged = directory.appending(path: "log-001.wav")
            let version = try #require(FileVersion(path: tagged.path))
            second.hold(version)
            try Data("tagged".utf8).write(to: tagged)
            second.release(version, as: FileVersion(path: tagged.path))
            logger = Logger(in: directory, RetentionPolicy(fileCount: 1), held: second)
            try await logger.record()
            #expect(try logger.names == ["log-002.wav", "log-003.wav"])
            for _ in 1...12 { try await logger.record() }
            // More than ten wait.
            #expect(try logger.names.count == 11)
            #expect(logger.takeTold().count { $0.contains("before its program has had it") } == 3)
        }
    }

    @Test("A damaged, forged or foreign record removes nothing, and what follows is recorded")
    func badRecords() async throws {
        try await TemporaryDirectory.with { parent in
            let directory = parent.appending(path: "log")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            let logger = Logger(in: directory, RetentionPolicy(fileCount: 1))
            try await logger.record()
            let record = try logger.record
            let mine = parent.appending(path: "mine.wav")
            try FileManager.default.copyItem(at: directory.appending(path: "log-001.wav"), to: mine)
            var status = stat()
            #expect(lstat(mine.path, &status) == 0)
            let lines = ["../mine.wav", mine.path, "log-001.wav/../../mine.wav"].map { path in
                LedgerEntry(path: path, parts: [.init(path: path, status)], end: .init(hostTime: 0)).line
            }
            let damaged = "\0\u{1}{\"path\":\"log-001.wav\"\n{}\n[]\n\n{\"path\":1e999}\n"
            try Data((lines.joined(separator: "\n") + "\n" + damaged).utf8).write(to: record)
            try await logger.record(2)
            #expect(try logger.names == ["log-001.wav", "log-003.wav"])
            #expect(FileManager.default.fileExists(atPath: mine.path))
            #expect(logger.takeTold() == ["count log-002.wav"])

            try FileManager.default.removeItem(at: record)
            try FileManager.default.createSymbolicLink(at: record, withDestinationURL: mine)
            let content = try Data(contentsOf: mine)
            try await logger.record(2)
            let told = logger.takeTold()
            // This recording's own files are still counted.
            #expect(told.count == 2 && told[0].hasPrefix("cannot keep the record '…/.accrec-files-"), "\(told)")
            #expect(told.last == "count log-002.wav")
            #expect(try Data(contentsOf: mine) == content)
        }
    }

    @Test("Recorders of one pattern at the same time keep one record, which does not grow")
    func severalRecorders() async throws {
        try await TemporaryDirectory.with { directory in
            let logger = Logger(in: directory, RetentionPolicy(fileCount: 5))
            try await withThrowingTaskGroup { group in
                for _ in 1...3 {
                    group.addTask {
                        let logger = Logger(in: directory, RetentionPolicy(fileCount: 5))
                        for _ in 1...4 { try await logger.record(3) }
                    }
                }
                try await group.waitForAll()
            }
            try await logger.record()
            #expect(try logger.names.count == 5)

            let pattern = try FilePattern(directory.appending(path: "log-{n}.wav").path)
            let ledger = try #require(FileLedger(of: .pattern(pattern), hasProgram: false) { Issue.record("\($0)") })
            for number in 1_000...3_000 {
                let path = directory.appending(path: "log-\(number).wav").path
                ledger.complete([CreatedFile(path: path, version: nil)], at: 0)
                ledger.forget([path])
            }
            let size = try #require(try FileManager.default.attributesOfItem(atPath: logger.record.path)[.size] as? Int)
            #expect(size < 400_000)
            try await logger.record()
            #expect(try logger.names.count == 5)
        }
    }
}
