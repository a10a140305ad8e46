import Foundation
import TestSupport
import Testing

/// Standard descriptors that are closed, full or without a reader, and low limits on open files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DescriptorTests {
    /// Runs a shell command in which `$accrec` is the program.
    private func run(
        _ line: String, on server: PrivateServer, within seconds: Double = 30
    ) async throws -> ProcessResult {
        try await ChildProcess.run(
            ["bash", "-c", line, try AccrecProcess.executable()],
            environment: server.environment.merging(["accrec": try AccrecProcess.executable()]) { $1 },
            in: server.directory, within: seconds)
    }

    private func withRoom(_ body: (PrivateServer) async throws -> Void) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            try await body(server)
        }
    }

    @Test(
        "Recording to a closed standard output is rejected", arguments: [">&-", ">&- <&-", ">&- <&- 2>errors"])
    func aClosedStandardOutputIsRefused(redirection: String) async throws {
        try await withRoom { server in
            let line = "$accrec record -o - -o take.wav -d room.monitor --max 0.5 \(redirection)"
            let result = try await run(line, on: server)
            #expect(result.end == .exit(64))
            let errors = try? String(contentsOf: server.directory.appending(path: "errors"), encoding: .utf8)
            #expect((errors ?? result.standardError).contains("standard output is closed"))
            #expect(!FileManager.default.fileExists(atPath: server.directory.appending(path: "take.wav").path))
        }
    }

    @Test(
        "A closed standard descriptor that is named by its path is not written to",
        arguments: [
            ("-o /dev/stdout --format wav", ">&-"), ("-o /dev/fd/1 --format raw", ">&-"),
            ("-o /dev/stdin --format raw", "<&-"), ("-o take.wav --report /dev/stdout", ">&-"),
            ("-o take.wav --report /proc/self/fd/1", ">&-"), ("-o take.wav --events /dev/stdout", ">&-"),
        ])
    func aClosedDescriptorIsNamed(options: String, redirection: String) async throws {
        try await withRoom { server in
            let line = "$accrec record \(options) -d room.monitor --max 0.5 \(redirection)"
            let result = try await run(line, on: server)
            #expect(result.end != .exit(0) && result.standardError.contains("irectory"), "\(result.standardError)")
            #expect(!FileManager.default.fileExists(atPath: server.directory.appending(path: "take.wav").path))
        }
    }

    @Test(
        "A take works with any standard descriptors closed, and no other file gets their numbers",
        arguments: [">&-", "<&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
    func aTakeNeedsNoStandardDescriptor(redirection: String) async throws {
        try await withRoom { server in
            let line = """
                $accrec record -o take.wav -d room.monitor --max 1 \(redirection) & pid=$!
                until [ -s take.wav ] || ! kill -0 $pid; do sleep 0.02; done
                ls -l /proc/$pid/fd >open; wait $pid
                """
            let result = try await run(line, on: server)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 44_100)
            let open = try String(contentsOf: server.directory.appending(path: "open"), encoding: .utf8)
            for line in open.split(separator: "\n") where line.contains(#/ [012] -> /#) {
                #expect(line.hasSuffix(" -> /") || !line.contains(#/-> (socket|anon_inode|.*take)/#), "\(line)")
            }
        }
    }

    @Test(
        "A failed write to standard output is an error",
        arguments: ["devices", "devices --json", "formats", "config", "--help", "record --help", "--version", ""])
    func aFullStandardOutputIsAnError(arguments: String) async throws {
        try await withRoom { server in
            let full = try await run("$accrec \(arguments) >/dev/full", on: server)
            #expect(full.end == .exit(1))
            #expect(full.standardError.contains("cannot write to standard output: No space left on device"))
            let closed = try await run("$accrec \(arguments) >&-", on: server)
            #expect(closed.end == .exit(1))
            #expect(closed.standardError.contains("cannot write to standard output: Bad file descriptor"))
        }
    }

    @Test(
        "Closing the reader of a listing ends the program without a message",
        arguments: ["devices", "devices --watch", "formats", "--help"])
    func aReaderGoes(arguments: String) async throws {
        try await withRoom { server in
            let line = "{ $accrec \(arguments) 2>errors; echo $? >status; } | true"
            // The first change is written to the closed pipe.
            let changing = arguments.contains("watch") ? "{ sleep 1; pactl load-module module-null-sink; } & " : ""
            #expect(try await run("\(changing)\(line); wait", on: server).end == .exit(0))
            let texts = try ["status", "errors"].map {
                try String(contentsOf: server.directory.appending(path: $0), encoding: .utf8)
            }
            #expect(texts.first == "0\n" && texts.last?.contains("cannot write") == false)
        }
    }

    @Test("Unread messages block neither a take, nor its end, nor signals", arguments: [0, SIGTERM])
    func aFullStandardErrorHoldsUpNothing(signal: Int32) async throws {
        try await withRoom { server in
            // The pipe is full from the start and is not read.
            let limit = signal == 0 ? "--max 6" : "--max 60"
            let line = """
                mkfifo errors; exec 3<>errors
                dd if=/dev/zero bs=4096 count=1000 of=errors oflag=nonblock 2>/dev/null
                $accrec record -o take.wav -d room.monitor -r 48000 -c 2 --progress \(limit) 2>errors & echo $! >pid
                wait $!
                """
            try await ChildProcess.with(
                ["bash", "-c", line],
                environment: server.environment.merging(["accrec": try AccrecProcess.executable()]) { $1 },
                in: server.directory
            ) { shell in
                let take = Take(on: server)
                try await take.wait(for: 5.5, shell)
                if signal != 0 {
                    let pid = try String(contentsOf: server.directory.appending(path: "pid"), encoding: .utf8)
                    kill(try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines))), signal)
                }
                #expect(try await shell.wait(within: 20).end == .exit(0))
                let frames = try PCMFile(wav: take.url).frames
                #expect(signal == 0 ? frames == 288_000 : frames > 5 * 48_000)
            }
        }
    }

    @Test(
        "Outputs that would leave too few descriptors for the rest of a take are refused",
        arguments: [(outputs: 4, isEnough: true), (16, false)])
    func outputsLeaveDescriptors(outputs: Int, isEnough: Bool) async throws {
        try await Rooms.with(.pulseAudio) { server, microphone in
            let names = (1...outputs).map { "-o \($0).wav" }.joined(separator: " ")
            let take = Take(on: server, "1.wav")
            let line = "ulimit -n 56; exec $accrec record -d near -r 48000 -c 2 \(names)"
            let result = try await ChildProcess.with(
                ["bash", "-c", line],
                environment: server.environment.merging(["accrec": AccrecProcess.executable()]) { $1 },
                in: server.directory
            ) { accrec in
                guard isEnough else { return try await accrec.wait(within: 20) }
                try await take.wait(for: 0.5, accrec)
                // What needs the most: another connection, while the files are open.
                try await server.unloadModule(microphone)
                _ = try await Rooms.plugIn(to: server)
                try await accrec.waitForStandardError(containing: "recording again")
                return try await take.finish(accrec, after: 0.5)
            }
            #expect(result.end == .exit(isEnough ? 0 : 11), "\(result.standardError)")
            #expect(isEnough || result.standardError.contains("Too many open files. Allow more open files (ulimit -n)"))
            let files = try FileManager.default.contentsOfDirectory(atPath: server.directory.path)
            #expect(files.count { $0.hasSuffix(".wav") } == (isEnough ? outputs : 0))
        }
    }

    @Test(
        "With too few descriptors a take fails with a message instead of trapping",
        arguments: [3, 4, 8, 9, 12, 18, 24, 32, 48])
    func smallLimits(limit: Int) async throws {
        try await withRoom { server in
            let result = try await run(
                "ulimit -n \(limit); exec $accrec record -o take.wav -d room.monitor --max 0.5", on: server)
            guard result.end != .exit(0) else {
                #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 22_050)
                return
            }
            // The dynamic loader itself may fail.
            if limit < 5, result.end == .exit(127) { return }
            #expect(result.end == .exit(1) && result.standardError.contains("Raise the limit (ulimit -n)"))
        }
    }
}
