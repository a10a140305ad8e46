import Foundation
import TestSupport
import Testing

/// Existing files, and files that others rename, truncate or replace during a recording.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FileSafetyTests {
    private static let old = Data("not to be lost".utf8)

    private static let form = ["-r", "48000", "-c", "2"]

    private static func mode(of path: URL) -> mode_t {
        var status = stat()
        return lstat(path.path, &status) == 0 ? status.st_mode : 0
    }

    @Test(
        "No file is used for two purposes, even under different names",
        arguments: [
            ["-o", "a.wav", "--report", "a.wav"], ["-o", "a.wav", "--report", "./a.wav", "--force"],
            ["-o", "a.wav", "--events", "d/../a.wav"], ["-o", "d/new.wav", "--events", "link/new.wav"],
            ["-o", "a.wav", "--report", "hard.wav", "--force"], ["-o", "a.wav", "--events", "hard.wav", "--force"],
            ["-o", "a.wav", "-o", "hard.wav", "--force"], ["-o", "d/n/a.wav", "-o", "link/n/a.wav", "--mkdir"],
            ["-o", "new.wav", "--report", "x.json", "--events", "./x.json"],
            ["-o", "new.wav", "--report", "new.wav.labels.txt"], ["-o", "fifo", "--format", "wav", "--events", "fifo"],
            ["-o", "config.toml", "--format", "wav", "--force", "--config", "config.toml"],
            ["-o", "new.wav", "--report", "config.toml", "--force", "--config", "config.toml"],
            ["-o", "-", "--report", "/proc/self/fd/1"],
        ])
    func noFileHasTwoUses(arguments: [String]) async throws {
        try await TemporaryDirectory.with { directory in
            let files = FileManager.default
            try files.createDirectory(at: directory.appending(path: "d"), withIntermediateDirectories: false)
            try files.createSymbolicLink(atPath: directory.path + "/link", withDestinationPath: "d")
            try Self.old.write(to: directory.appending(path: "a.wav"))
            try files.linkItem(atPath: directory.path + "/a.wav", toPath: directory.path + "/hard.wav")
            try Data("quiet = true\n".utf8).write(to: directory.appending(path: "config.toml"))
            #expect(mkfifo(directory.path + "/fifo", 0o600) == 0)
            let before = try files.subpathsOfDirectory(atPath: directory.path).sorted()

            let result = try await AccrecProcess.run(["record"] + arguments, on: nil, in: directory)
            #expect(result.end == .exit(64), "\(result.standardError)")
            #expect(result.standardError.contains(" is the same file as "), "\(result.standardError)")
            #expect(try files.subpathsOfDirectory(atPath: directory.path).sorted() == before)
            #expect(try Data(contentsOf: directory.appending(path: "a.wav")) == Self.old)
        }
    }

    @Test("A batch does not overwrite its own files, nor repair the file that it repairs")
    func otherCommands() async throws {
        try await TemporaryDirectory.with { directory in
            let manifest = Data("output,duration\nlink.wav,1\n".utf8)
            try manifest.write(to: directory.appending(path: "takes.csv"))
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/link.wav", withDestinationPath: "takes.results.jsonl")
            let same = try await AccrecProcess.run(
                ["batch", "takes.csv", "--results", "./takes.csv", "--continue"], on: nil, in: directory)
            #expect(same.end == .exit(64) && same.standardError.contains("is the same file as the manifest"))
            let linked = try await AccrecProcess.run(["batch", "takes.csv"], on: nil, in: directory)
            #expect(linked.end == .exit(64), "\(linked.standardError)")
            #expect(linked.standardError.contains("the batch itself uses that file"))
            #expect(try Data(contentsOf: directory.appending(path: "takes.csv")) == manifest)

            let torn =
                Data("RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0]
            let wav = torn + [2, 0, 16, 0] + Data("data".utf8) + [0, 0, 0, 0, 1, 2, 3, 4]
            try wav.write(to: directory.appending(path: "torn.wav"))
            try FileManager.default.createSymbolicLink(
                atPath: directory.path + "/same.wav", withDestinationPath: "torn.wav")
            let repair = try await AccrecProcess.run(
                ["repair", "torn.wav", "-o", "same.wav", "--force"], on: nil, in: directory)
            #expect(repair.end == .exit(11) && repair.standardError.contains("--in-place"))
            #expect(try Data(contentsOf: directory.appending(path: "torn.wav")) == wav)
        }
    }

    @Test("An argument that is not UTF-8 is rejected, and no file under another name is created")
    func otherBytes() async throws {
        try await TemporaryDirectory.with { directory in
            for command in ["record -o", "repair"] {
                let script = "exec \"$0\" \(command) \"$(printf 'a\\377.wav')\""
                let result = try await ChildProcess.run(
                    ["sh", "-c", script, try AccrecProcess.executable()], in: directory)
                #expect(result.end == .exit(64) && result.standardError.contains("is not UTF-8"))
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test("A command reports that too few files can be opened", arguments: [4, 5, 8, 9, 12])
    func fewOpenFiles(limit: Int) async throws {
        for command in ["record -o take.wav --report r.json --events e.jsonl", "devices", "meter", "formats"] {
            let result = try await ChildProcess.run(
                ["sh", "-c", "ulimit -n \(limit); exec \"$0\" \(command)", try AccrecProcess.executable()])
            #expect(result.end == .exit(1) && result.standardError.contains("ulimit -n"), "\(result.standardError)")
        }
    }

    @Test("A replaced file keeps its link and mode; a pipe and a device are written to")
    func whatIsReplaced() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let (target, link, pipe) = (server.file("target.wav"), server.file("link.wav"), server.file("pipe.wav"))
            try Self.old.write(to: target)
            #expect(chmod(target.path, 0o604) == 0 && mkfifo(pipe.path, 0o600) == 0)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            let unread = try await server.record(["-o", pipe.path, "--force"], status: 11)
            #expect(unread.standardError.contains("Start its reader first."))
            let header = try await ChildProcess.with(["cat", pipe.path]) { reader in
                let outputs = ["-o", link.path, "-o", pipe.path, "--report", "/dev/null"]
                try await server.record(outputs + ["--force", "--max", "0.5"] + Self.form)
                return try await reader.wait().standardOutput
            }
            // The header has an unknown length, so the rest of the file is samples.
            #expect(header.starts(with: Data("RIFF".utf8)) && header.count > 24_000 * 4)
            #expect(Self.mode(of: pipe) & S_IFMT == S_IFIFO && Self.mode(of: link) & S_IFMT == S_IFLNK)
            #expect(
                Self.mode(of: target) & 0o777 == 0o604 && Self.mode(of: URL(filePath: "/dev/null")) & S_IFMT == S_IFCHR)
            #expect(try PCMFile(wav: target).frames == 24_000)
        }
    }

    @Test("A recording that breaks off keeps the old file, and reports its own location")
    func aBrokenTakeReplacesNothing() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            try Self.old.write(to: recording.url)
            let options = ["--force", "--interruption-timeout", "0.1"]
            let result = try await server.record(recording, with: options, status: 4) { accrec in
                try await TestRecording(on: server, ".take.wav.\(accrec.processID).part").wait(for: 0.5, accrec)
                try await server.kill()
            }
            let partial = server.file("take-partial.wav")
            #expect(result.standardError.contains("what was recorded is in '\(partial.path)'"))
            #expect(try Data(contentsOf: recording.url) == Self.old && PCMFile(wav: partial).frames > 20_000)
        }
    }

    @Test(
        "A directory that is renamed during a recording keeps its files, and the report has all at their last place",
        arguments: [false, true])
    func aDirectoryIsRenamed(isForced: Bool) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let files = FileManager.default
            let (first, second, third) = (server.file("first"), server.file("second"), server.file("third"))
            try files.createDirectory(at: first, withIntermediateDirectories: false)
            let options = ["--report", server.file("report.json").path] + (isForced ? ["--force"] : [])
            try await server.record(TestRecording(on: server, "first/take.wav"), with: options) { accrec in
                func wait(for file: String, in directory: String) async throws {
                    // Later files replace none.
                    let name = isForced && file == "take.wav" ? ".\(file).\(accrec.processID).part" : file
                    try await TestRecording(on: server, "\(directory)/\(name)").wait(for: 0.3, accrec)
                }
                try await accrec.waitForStandardError(containing: "recording from")
                try await wait(for: "take.wav", in: "first")
                try files.moveItem(at: first, to: second)
                accrec.signal(SIGUSR1)
                try await accrec.waitForStandardError(containing: "now recording to '\(second.path)/take-002.wav'")
                try await wait(for: "take-002.wav", in: "second")
                try files.moveItem(at: second, to: third)
                accrec.signal(SIGINT)
            }
            let paths = ["take.wav", "take-002.wav"].map { third.appending(path: $0).path }
            #expect(paths.allSatisfy(files.fileExists))
            let outputs = try server.report().recording.outputs
            #expect(outputs.compactMap(\.path) == paths)
            #expect(outputs.allSatisfy { $0.byteCount > 50_000 })
        }
    }

    @Test("Truncation of a file by another program is reported and fails the recording, which continues")
    func aFileIsCut() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            let result = try await server.record(recording, status: 1) { accrec in
                try await recording.wait(for: 1, accrec)
                #expect(truncate(recording.url.path, 1_000) == 0)
                try await accrec.waitForStandardError(containing: "another program truncated it")
                try await recording.wait(for: 1.5, accrec)
                accrec.signal(SIGINT)
            }
            #expect(result.standardError.contains("ENDED     "), "\(result.standardError)")
        }
    }

    @Test("Recordings that begin together get a number of their own each, and all are whole")
    func takesBeginTogether() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let counts = [1, 2, 3, 4, 5, 6]
            try await counts.concurrentForEach { _ in
                try await server.record(["-o", "take-{n}.wav", "-o", "{n}.flac", "--max", "0.3"] + Self.form)
            }
            let names = try server.fileNames()
            #expect(Set(names).isSuperset(of: counts.flatMap { ["take-00\($0).wav", "00\($0).flac"] }), "\(names)")
            #expect(!names.contains { $0.hasSuffix("007.wav") || $0.hasSuffix("007.flac") }, "\(names)")
            for name in counts.map({ "take-00\($0).wav" }) {
                #expect(try server.wav(name).frames == 14_400, "\(name)")
            }
        }
    }

    @Test("A lost report or events file fails the command with a message")
    func aReportIsLost() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = ["-o", "{n}.wav", "--max", "0.3"]
            for (options, status) in [(["--report", "/dev/full"], 6), (["--events", "/dev/full"], 1)]
                as [([String], Int32)]
            {
                let result = try await server.record(recording + options, status: status)
                #expect(result.standardError.contains("No space left on device"))
                #expect(!result.standardError.contains("Error Domain"), "\(result.standardError)")
            }
            let (pipe, size) = (server.file("pipe").path, 65_536)
            try #require(mkfifo(pipe, 0o600) == 0)
            let unread = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(unread) }
            #expect(write(unread, [UInt8](repeating: 0, count: size), size) == size)
            let late = try await server.record(recording + ["--events", pipe], status: 1)
            #expect(late.standardError.contains("the last events are missing in '\(pipe)'"))
            try Self.old.write(to: server.file("old.txt"))
            let refused = try await server.record(["-o", "new.wav", "--events", "old.txt"], status: 1)
            #expect(refused.standardError.contains("it contains something else"))
            #expect(try Data(contentsOf: server.file("old.txt")) == Self.old)
        }
    }

    @Test("A later file avoids the report's name, and a recording without free descriptors continues in its file")
    func laterFiles() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            let report = server.file("take-002.wav")
            try await server.record(recording, with: ["--report", report.path, "--force"]) { accrec in
                func limitOpenFiles(to limit: Int) async throws {
                    let command = ["prlimit", "--pid", "\(accrec.processID)", "--nofile=\(limit):1024"]
                    #expect(try await ChildProcess.run(command).end == .exit(0))
                }
                try await TestRecording(on: server, ".take.wav.\(accrec.processID).part").wait(for: 0.3, accrec)
                accrec.signal(SIGUSR1)
                try await accrec.waitForStandardError(containing: "take-003.wav")
                let next = TestRecording(on: server, "take-003.wav")
                try await next.wait(for: 0.3, accrec)
                // Not fewer than are open: libdispatch itself then traps when it looks at its threads.
                try await limitOpenFiles(to: 24)
                accrec.signal(SIGUSR1)
                try await accrec.waitForStandardError(containing: "Allow more open files")
                try await next.wait(forAnother: 1, accrec)
                try await limitOpenFiles(to: 64)
                accrec.signal(SIGINT)
            }
            #expect(try PCMFile(wav: recording.url).frames > 0 && server.wav("take-003.wav").frames > 0)
            #expect(try Data(contentsOf: report).first == UInt8(ascii: "{"))
        }
    }
}
