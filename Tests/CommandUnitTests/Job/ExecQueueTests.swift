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
            var output = try Self.report(of: file)
            output.isTold = true
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
            var third = try Self.report(of: file)
            third.isTold = true
            await receive(.finished(Self.report([provisional, third])))
            try await wait(for: "second third third ")
        }
    }

    /// A queue that runs a shell script with a directory as its argument.
    private static func queue(_ script: String, _ directory: URL, retries: Int, _ clock: Schedule.Clocks) -> ExecQueue {
        ExecQueue(
            ExecQueue.Program(path: "/bin/sh", arguments: ["-c", script, "sh", directory.path]), timeout: 30,
            retries: retries, clock: clock)
    }

    private static func file(in directory: URL, _ name: String = "take.wav") throws -> URL {
        let file = directory.appending(path: name)
        try Data("samples".utf8).write(to: file)
        return file
    }

    @Test("A program that fails is run again after 1 s, 2 s, 4 s, and its success is the end of that")
    func retries() async throws {
        try await TemporaryDirectory.with { directory in
            let clocks = SimulatedClocks(1_800_000_000)
            let script = #"echo try >>"$1/log"; [ $(wc -l <"$1/log") = 4 ] || { echo busy >&2; exit 3; }"#
            let queue = Self.queue(script, directory, retries: 5, clocks.clock)
            let messages = Mutex<[String]>([])
            let file = try Self.file(in: directory)
            await queue.receive(.fileClosed(try Self.report(of: file))) { message in
                messages.withLock { $0.append(message) }
            }
            try await eventually("the end") { await queue.pendingCount == 0 }
            #expect(
                messages.withLock { $0 }
                    == zip([1, 2, 4], 1...).map { delay, number in
                        "--exec: '/bin/sh' for '\(file.path)' failed: exit status 3: busy. "
                            + "Trying again in \(delay) s (\(number) of 5)."
                    })
            #expect(clocks.now.bootTime == 7)
            let status = await queue.status
            #expect(status.waiting == 0 && status.retrying == 0 && status.running.isEmpty)
            #expect(status.lastFailure == .init(file: file.path, message: "exit status 3: busy"))
        }
    }

    @Test("The wait grows to five minutes, and the last failure is final")
    func longestWait() async throws {
        try await TemporaryDirectory.with { directory in
            let clocks = SimulatedClocks(1_800_000_000)
            let queue = Self.queue("exit 1", directory, retries: 12, clocks.clock)
            let messages = Mutex<[String]>([])
            await queue.receive(.fileClosed(try Self.report(of: try Self.file(in: directory)))) { message in
                messages.withLock { $0.append(message) }
            }
            try await eventually("the end") { await queue.pendingCount == 0 }
            #expect(clocks.now.bootTime == 511 + 3 * 300)
            #expect(messages.withLock { $0 }.count == 13)
            #expect(messages.withLock { $0 }.last?.hasSuffix("failed: exit status 1") == true)
        }
    }

    /// A wait that ends only because the queue cancels it.
    private static let never = Schedule.Clocks(
        now: { .now }, sleep: { _ in try? await Task.sleep(for: .seconds(3_600)) })

    @Test("A file that waits for another try is held, and is kept for the next queue of the same program and outputs")
    func files() async throws {
        try await TemporaryDirectory.with { directory in
            let script = #"[ -e "$1/ok" ] && echo "$ACCREC_FILE $(cat)" >>"$1/log""#
            let outputs = [
                RecordingOutput(.pattern(try FilePattern(directory.path + "/take-{n}.wav")), container: .wav)
            ]
            func records() throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: directory.path).filter {
                    $0.hasPrefix(".accrec-exec-")
                }
            }
            let first = Self.queue(script, directory, retries: 1, Self.never)
            await first.keepFiles(for: .recording(outputs)) { Issue.record("\($0)") }
            let names = ["take-001.wav", "take-002.wav", "take-003.wav"]
            for name in names {
                await first.receive(.fileClosed(try Self.report(of: try Self.file(in: directory, name)))) { _ in }
            }
            try await eventually("failures") { await first.status.retrying == 3 }
            #expect(await first.pendingCount == 3)
            let record = try await eventually("a record of three files") { () -> String? in
                guard let name = try records().first else { return nil }
                let text = try? String(contentsOf: directory.appending(path: name), encoding: .utf8)
                return text?.split(separator: "\n").count == 3 ? name : nil
            }
            // One is gone, and one is another file by now.
            try FileManager.default.removeItem(at: directory.appending(path: names[1]))
            try Data("others".utf8).write(to: directory.appending(path: "other"))
            #expect(rename(directory.path + "/other", directory.path + "/" + names[2]) == 0)
            // A line that is damaged costs nothing else.
            let handle = try FileHandle(forWritingTo: directory.appending(path: record))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("{\"path\":\n\u{0}\n".utf8))
            _ = try Self.file(in: directory, "ok")

            let others = Self.queue("exit 0", directory, retries: 1, Self.never)
            await others.keepFiles(for: .recording(outputs)) { Issue.record("\($0)") }
            #expect(await others.pendingCount == 0)
            #expect(try records() == [record])
            let messages = Mutex<[String]>([])
            let second = Self.queue(script, directory, retries: 1, Self.never)
            await second.keepFiles(for: .recording(outputs)) { message in messages.withLock { $0.append(message) } }
            try await eventually("the end") { await second.pendingCount == 0 }
            let log = try String(contentsOf: directory.appending(path: "log"), encoding: .utf8)
            #expect(log.hasPrefix("\(directory.path)/\(names[0]) {") && log.split(separator: "\n").count == 1, "\(log)")
            #expect(
                messages.withLock { $0 }
                    == names.dropFirst().map {
                        "--exec: '/bin/sh' for '\(directory.path)/\($0)' is not run: the file of an earlier recording is gone"
                    })
            try await eventually("no record") { try records().isEmpty }
        }
    }

    /// Half a second of a WAV file at 8 kHz, as it is before its sizes are known, and half a frame more.
    private static var cutFile: Data {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let format =
            bytes(16, 4) + bytes(1, 2) + bytes(1, 2) + bytes(8_000, 4) + bytes(16_000, 4) + bytes(2, 2) + bytes(16, 2)
        let header =
            Array("RIFF".utf8) + bytes(0, 4) + Array("WAVEfmt ".utf8) + format + Array("data".utf8) + bytes(0, 4)
        return Data(header + [UInt8](repeating: 1, count: 2 * 4_000 + 1))
    }

    @Test(
        "A file whose recorder was killed is repaired and has the program once; not one that another program has made since"
    )
    func killedRecorder() async throws {
        try await TemporaryDirectory.with { directory in
            let outputs = [
                RecordingOutput(.pattern(try FilePattern(directory.path + "/log-{n}.wav")), container: .wav)
            ]
            let names = ["log-001.wav", "log-002.wav", "log-003.flac"]
            let script = #"echo "$ACCREC_FILE $(cat)" >>"$1/log""#
            let first = Self.queue(script, directory, retries: 0, .system)
            await first.keepFiles(for: .recording(outputs)) { Issue.record("\($0)") }
            for name in names {
                let file = directory.appending(path: name)
                try (name.hasSuffix(".wav") ? Self.cutFile : Data("fLaC".utf8)).write(to: file)
                // What a recorder has locked, it is writing; the lock ends with it.
                let lock = open(file.path, O_RDONLY | O_CLOEXEC)
                defer { close(lock) }
                #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
                await first.receive(.fileOpened(path: file.path)) { Issue.record("\($0)") }
            }
            await first.flush()
            let replaced = directory.appending(path: names[1])
            try FileManager.default.removeItem(at: replaced)
            try Self.cutFile.write(to: replaced)

            let messages = Mutex<[String]>([])
            for _ in 1...2 {
                let next = Self.queue(script, directory, retries: 0, .system)
                await next.keepFiles(for: .recording(outputs)) { message in messages.withLock { $0.append(message) } }
                try await eventually("the end") { await next.pendingCount == 0 }
                await next.flush()
            }
            let log = try String(contentsOf: directory.appending(path: "log"), encoding: .utf8).split(separator: "\n")
            #expect(log.count == 1 && log[0].hasPrefix("\(directory.path)/log-001.wav {"), "\(log)")
            #expect(log[0].contains(#""frames":4000,"#) && log[0].contains("its recorder was killed"), "\(log)")
            let repaired = try PCMFile(wav: directory.appending(path: names[0]))
            #expect(repaired.int16 == [Int16](repeating: 0x0101, count: 4_000))
            #expect(try Data(contentsOf: replaced) == Self.cutFile)
            let told = messages.withLock { $0 }.sorted()
            #expect(told.count == 2, "\(told)")
            #expect(told[0].hasPrefix("'\(directory.path)/log-001.wav' has 0:00.500: its recorder was killed."))
            #expect(told[1].contains("is not run for a file whose recorder was killed: "))
        }
    }

    @Test(
        "Once it is told that a file cannot be recognized, should its recorder be killed",
        .enabled(if: SmallDisk.isPossible, "\(SmallDisk.absence)"))
    func unrecognizable() async throws {
        try await SmallDisk.withoutBirthTimes { disk in
            let outputs = [
                RecordingOutput(.pattern(try FilePattern(disk.directory.path + "/log-{n}.wav")), container: .wav)
            ]
            let messages = Mutex<[String]>([])
            let queue = Self.queue("exit 0", disk.directory, retries: 0, .system)
            await queue.keepFiles(for: .recording(outputs)) { Issue.record("\($0)") }
            let files = try ["log-001.wav", "log-002.wav"].map { try Self.file(in: disk.directory, $0) }
            for file in files {
                await queue.receive(.fileOpened(path: file.path)) { message in messages.withLock { $0.append(message) }
                }
            }
            #expect(
                messages.withLock { $0 } == [
                    "--exec: '/bin/sh' is not run for '\(files[0].path)' should this recorder be killed: "
                        + "its file system does not say when a file was created. Run it yourself then."
                ])
        }
    }

    @Test("A batch that is run again runs the program for what the one before has left")
    func batch() async throws {
        try await TemporaryDirectory.with { directory in
            let results = directory.appending(path: "takes.results.jsonl").path
            let script = #"[ -e "$1/ok" ] && echo "$ACCREC_FILE" >>"$1/log""#
            let first = Self.queue(script, directory, retries: 1, Self.never)
            await first.keepFiles(for: .batch(results: results)) { Issue.record("\($0)") }
            let file = try Self.file(in: directory)
            await first.receive(.finished(Self.report([try Self.report(of: file)]))) { _ in }
            try await eventually("a failure") { await first.status.retrying == 1 }
            await first.flush()
            _ = try Self.file(in: directory, "ok")
            for other in [results + "x", results] {
                let next = Self.queue(script, directory, retries: 1, Self.never)
                await next.keepFiles(for: .batch(results: other)) { Issue.record("\($0)") }
                #expect(await next.pendingCount == (other == results ? 1 : 0))
                try await eventually("the end") { await next.pendingCount == 0 }
                await next.flush()
            }
            let log = try String(contentsOf: directory.appending(path: "log"), encoding: .utf8)
            #expect(log == file.path + "\n")
        }
    }

    @Test(
        "A record that somebody else has made, or that is no file, is ignored and mentioned",
        .enabled(if: geteuid() == 0))
    func foreignRecords() async throws {
        try await TemporaryDirectory.with { directory in
            let outputs = [RecordingOutput(.file(path: directory.path + "/take.wav"), container: .wav)]
            let program = ExecQueue.Program(path: "/bin/true", arguments: [])
            let messages = Mutex<[String]>([])
            let record = try #require(
                ExecRecord(of: program, for: .recording(outputs)) { message in messages.withLock { $0.append(message) }
                })
            let entry = try #require(ExecRecord.Entry(path: "/etc/passwd", report: "{}"))
            record.save([entry])
            record.flush()
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: directory.path).first {
                    $0.hasPrefix(".accrec-exec")
                })
            #expect(record.takeOver().entries == [entry])
            let claimed = try #require(try FileManager.default.contentsOfDirectory(atPath: directory.path).first)
            #expect(chown(directory.path + "/" + claimed, 1, 1) == 0)
            #expect(record.takeOver() == ([], []))
            #expect(symlink("/etc/passwd", directory.path + "/" + name) == 0)
            #expect(record.takeOver() == ([], []))
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(Set(left) == [claimed, name])
            #expect(messages.withLock { $0 }.count == 3 && messages.withLock { $0 }[0].contains("it is ignored"))
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
