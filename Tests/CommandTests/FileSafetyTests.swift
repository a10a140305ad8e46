import Foundation
import TestSupport
import Testing

/// Existing files, and files that others rename, truncate or replace during a take.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FileSafetyTests {
    private static let old = Data("not to be lost".utf8)

    private static func take(_ arguments: [String]) -> [String] {
        ["record", "-d", "room.monitor", "-r", "48000", "-c", "2"] + arguments
    }

    /// Runs a body on a server with a sink.
    private static func withRoom(_ body: (PrivateServer, URL) async throws -> Void) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            try await body(server, server.directory)
        }
    }

    private static func byteCount(of path: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path.path)[.size] as? Int) ?? 0
    }

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
            ["-o", "new.wav", "--report", "new.labels.txt"], ["-o", "fifo", "--format", "wav", "--events", "fifo"],
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
        try await Self.withRoom { server, directory in
            let (target, link) = (directory.appending(path: "target.wav"), directory.appending(path: "link.wav"))
            let pipe = directory.appending(path: "pipe.wav")
            try Self.old.write(to: target)
            #expect(chmod(target.path, 0o604) == 0 && mkfifo(pipe.path, 0o600) == 0)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            let unread = try await AccrecProcess.run(Self.take(["-o", pipe.path, "--force"]), on: server)
            #expect(unread.end == .exit(11) && unread.standardError.contains("Start its reader first."))
            let header = try await ChildProcess.with(["cat", pipe.path]) { reader in
                let outputs = ["-o", link.path, "-o", pipe.path, "--report", "/dev/null"]
                let result = try await AccrecProcess.run(Self.take(outputs + ["--force", "--max", "0.5"]), on: server)
                #expect(result.end == .exit(0), "\(result.standardError)")
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

    @Test("A take that breaks off keeps the old file, and reports its own location")
    func aBrokenTakeReplacesNothing() async throws {
        try await Self.withRoom { server, directory in
            let path = directory.appending(path: "take.wav")
            try Self.old.write(to: path)
            let arguments = Self.take(["-o", path.path, "--force", "--interruption-timeout", "0.1"])
            let result = try await AccrecProcess.with(arguments, on: server) { accrec in
                try await eventually("half a second of sound: \(accrec.standardError)") {
                    Self.byteCount(of: directory.appending(path: ".take.wav.\(accrec.processID).part")) > 96_000
                }
                try await server.kill()
                return try await accrec.wait()
            }
            #expect(result.end == .exit(4), "\(result.standardError)")
            let partial = directory.appending(path: "take-partial.wav")
            #expect(result.standardError.contains("what was recorded is in '\(partial.path)'"))
            #expect(try Data(contentsOf: path) == Self.old && PCMFile(wav: partial).frames > 20_000)
        }
    }

    @Test(
        "A directory that is renamed during a take keeps its files, and the report has all at their last place",
        arguments: [false, true])
    func aDirectoryIsRenamed(isForced: Bool) async throws {
        try await Self.withRoom { server, directory in
            let files = FileManager.default
            let (first, second) = (directory.appending(path: "first"), directory.appending(path: "second"))
            let third = directory.appending(path: "third")
            try files.createDirectory(at: first, withIntermediateDirectories: false)
            let report = directory.appending(path: "report.json")
            let arguments = ["-o", first.path + "/take.wav", "--report", report.path] + (isForced ? ["--force"] : [])
            let result = try await AccrecProcess.with(Self.take(arguments), on: server) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                let name = { isForced ? ".\($0).\(accrec.processID).part" : $0 }
                try await eventually("sound") { Self.byteCount(of: first.appending(path: name("take.wav"))) > 50_000 }
                try files.moveItem(at: first, to: second)
                accrec.signal(SIGUSR1)
                try await accrec.waitForStandardError(containing: "now recording to '\(second.path)/take-002.wav'")
                try await eventually("more sound") {
                    Self.byteCount(of: second.appending(path: name("take-002.wav"))) > 50_000
                }
                try files.moveItem(at: second, to: third)
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let paths = ["take.wav", "take-002.wav"].map { third.appending(path: $0).path }
            #expect(paths.allSatisfy(files.fileExists))
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: report)) as? [String: Any]
            let outputs = try #require(json?["outputs"] as? [[String: Any]])
            #expect(outputs.compactMap { $0["path"] as? String } == paths)
            #expect(outputs.allSatisfy { $0["bytes"] as? Int ?? 0 > 50_000 })
        }
    }

    @Test("Truncation of a file by another program is reported and fails the take, which continues")
    func aFileIsCut() async throws {
        try await Self.withRoom { server, directory in
            let path = directory.appending(path: "take.wav")
            let result = try await AccrecProcess.with(Self.take(["-o", path.path]), on: server) { accrec in
                try await eventually("a second of sound") { Self.byteCount(of: path) > 192_000 }
                #expect(truncate(path.path, 1_000) == 0)
                try await accrec.waitForStandardError(containing: "another program truncated it")
                try await eventually("more sound") { Self.byteCount(of: path) > 288_000 }
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(1) && result.standardError.contains("ENDED     "), "\(result.standardError)")
        }
    }

    @Test("Takes that begin together get a number of their own each, and all are whole")
    func takesBeginTogether() async throws {
        try await Self.withRoom { server, directory in
            let counts = [1, 2, 3, 4, 5, 6]
            let ends = try await withThrowingTaskGroup(of: ProcessResult.self) { group in
                for _ in counts {
                    group.addTask {
                        try await AccrecProcess.run(
                            Self.take(["-o", "take-{n}.wav", "-o", "{n}.flac", "--max", "0.3"]), on: server,
                            in: directory)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends.allSatisfy { $0.end == .exit(0) }, "\(ends.map(\.standardError))")
            let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(Set(names).isSuperset(of: counts.flatMap { ["take-00\($0).wav", "00\($0).flac"] }), "\(names)")
            #expect(!names.contains { $0.hasSuffix("007.wav") || $0.hasSuffix("007.flac") }, "\(names)")
            for name in counts.map({ "take-00\($0).wav" }) {
                #expect(try PCMFile(wav: directory.appending(path: name)).frames == 14_400, "\(name)")
            }
        }
    }

    @Test("A lost report or events file fails the command with a message")
    func aReportIsLost() async throws {
        try await Self.withRoom { server, directory in
            for (arguments, status) in [(["--report", "/dev/full"], 6), (["--events", "/dev/full"], 1)]
                as [([String], Int32)]
            {
                let result = try await AccrecProcess.run(
                    Self.take(["-o", "{n}.wav", "--max", "0.3"] + arguments), on: server, in: directory)
                #expect(result.end == .exit(status) && result.standardError.contains("No space left on device"))
                #expect(!result.standardError.contains("Error Domain"), "\(result.standardError)")
            }
            let (pipe, size) = (directory.path + "/pipe", 65_536)
            try #require(mkfifo(pipe, 0o600) == 0)
            let unread = open(pipe, O_RDWR | O_CLOEXEC)
            defer { close(unread) }
            #expect(write(unread, [UInt8](repeating: 0, count: size), size) == size)
            let late = try await AccrecProcess.run(
                Self.take(["-o", "{n}.wav", "--max", "0.3", "--events", pipe]), on: server, in: directory)
            #expect(late.end == .exit(1) && late.standardError.contains("the last events are missing in '\(pipe)'"))
            try Self.old.write(to: directory.appending(path: "old.txt"))
            let refused = try await AccrecProcess.run(
                Self.take(["-o", "new.wav", "--events", "old.txt"]), on: server, in: directory)
            #expect(refused.end != .exit(0) && refused.standardError.contains("it contains something else"))
            #expect(try Data(contentsOf: directory.appending(path: "old.txt")) == Self.old)
        }
    }

    @Test("A later file avoids the report's name, and a take without free descriptors continues in its file")
    func laterFiles() async throws {
        try await Self.withRoom { server, directory in
            let path = directory.appending(path: "take.wav")
            let report = directory.appending(path: "take-002.wav")
            let arguments = Self.take(["-o", path.path, "--report", report.path, "--force"])
            let result = try await AccrecProcess.with(arguments, on: server) { accrec in
                let part = directory.appending(path: ".take.wav.\(accrec.processID).part")
                try await eventually("sound") { Self.byteCount(of: part) > 50_000 }
                accrec.signal(SIGUSR1)
                try await accrec.waitForStandardError(containing: "take-003.wav")
                let next = directory.appending(path: ".take-003.wav.\(accrec.processID).part")
                try await eventually("more sound") { Self.byteCount(of: next) > 50_000 }
                // Not fewer than are open: libdispatch itself then traps when it looks at its threads.
                let limit = try await ChildProcess.run(["prlimit", "--pid", "\(accrec.processID)", "--nofile=24:1024"])
                #expect(limit.end == .exit(0))
                accrec.signal(SIGUSR1)
                try await accrec.waitForStandardError(containing: "Allow more open files")
                let until = Self.byteCount(of: next)
                try await eventually("a second more") { Self.byteCount(of: next) > until + 192_000 }
                #expect(
                    try await ChildProcess.run(["prlimit", "--pid", "\(accrec.processID)", "--nofile=64:1024"]).end
                        == .exit(0))
                accrec.signal(SIGINT)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(
                try PCMFile(wav: path).frames > 0 && PCMFile(wav: directory.appending(path: "take-003.wav")).frames > 0)
            #expect(try Data(contentsOf: report).first == UInt8(ascii: "{"))
        }
    }
}
