import Foundation
import TestSupport
import Testing

/// Standard descriptors that are closed, full or without a reader, and low limits on open files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct DescriptorTests {
    @Test(
        "Recording to a closed standard output is rejected", arguments: [">&-", ">&- <&-", ">&- <&- 2>errors"])
    func aClosedStandardOutputIsRefused(redirection: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let line = "$accrec record -o - -o take.wav -d room.monitor --max 0.5 \(redirection)"
            let result = try await server.shell(line)
            #expect(result.end == .exit(64))
            let errors = try? server.text("errors")
            #expect((errors ?? result.standardError).contains("standard output is closed"))
            #expect(!server.hasFile("take.wav"))
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
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let line = "$accrec record \(options) -d room.monitor --max 0.5 \(redirection)"
            let result = try await server.shell(line)
            #expect(result.end != .exit(0) && result.standardError.contains("irectory"), "\(result.standardError)")
            #expect(!server.hasFile("take.wav"))
        }
    }

    @Test(
        "A recording works with any standard descriptors closed, and no other file gets their numbers",
        arguments: [">&-", "<&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
    func aTakeNeedsNoStandardDescriptor(redirection: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let line = "$accrec record -o take.wav -d room.monitor --max 1 \(redirection) & echo $! >pid; wait $!"
            let result = try await server.shell(line) { shell in
                try await TestRecording(on: server).wait(for: 0, shell)
                let descriptors = "/proc/\(try server.processID(in: "pid"))/fd"
                let open = try FileManager.default.contentsOfDirectory(atPath: descriptors)
                for number in ["0", "1", "2"] where open.contains(number) {
                    let file = try FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\(number)")
                    #expect(!file.contains(#/^(socket|anon_inode|.*take)/#), "\(number) -> \(file)")
                }
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try server.wav().frames == 48_000)
        }
    }

    @Test(
        "A failed write to standard output is an error",
        arguments: ["devices", "devices --json", "formats", "config", "--help", "record --help", "--version", ""])
    func aFullStandardOutputIsAnError(arguments: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let full = try await server.shell("$accrec \(arguments) >/dev/full")
            #expect(full.end == .exit(1))
            #expect(full.standardError.contains("cannot write to standard output: No space left on device"))
            let closed = try await server.shell("$accrec \(arguments) >&-")
            #expect(closed.end == .exit(1))
            #expect(closed.standardError.contains("cannot write to standard output: Bad file descriptor"))
        }
    }

    @Test(
        "Closing the reader of a listing ends the program without a message",
        arguments: ["devices", "devices --watch", "formats", "--help"])
    func aReaderGoes(arguments: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let line = "{ $accrec \(arguments) 2>errors; echo $? >status; } | true"
            let result = try await server.shell(line) { shell in
                guard arguments.contains("watch") else { return }
                // A change is written to the closed pipe.
                try await eventually("the end of the program", within: 10) {
                    try await server.loadNullSink("hall")
                    return !shell.isRunning
                }
            }
            #expect(try result.end == .exit(0) && !server.text("errors").contains("cannot write"))
            #expect(try server.text("status") == "0\n")
        }
    }

    @Test("Unread messages block neither a recording, nor its end, nor signals")
    func aFullStandardErrorHoldsUpNothing() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            /// Records to a file while nobody reads messages, and returns the number of frames.
            @Sendable func record(_ name: String, _ options: String, endedBy signal: Int32? = nil) async throws -> Int {
                // The pipe is full from the start and is not read.
                let line = """
                    mkfifo \(name).errors; exec 3<>\(name).errors
                    dd if=/dev/zero bs=4096 count=1000 of=\(name).errors oflag=nonblock 2>/dev/null
                    $accrec record -o \(name) -d room.monitor -r 48000 -c 2 --progress \(options) 2>\(name).errors & echo $! >\(name).pid
                    wait $!
                    """
                let result = try await server.shell(line) { shell in
                    try await TestRecording(on: server, name).wait(for: 5.5, shell)
                    if let signal { kill(try server.processID(in: "\(name).pid"), signal) }
                }
                #expect(result.end == .exit(0))
                return try server.wav(name).frames
            }
            async let limited = record("limited.wav", "--max 6")
            async let ended = record("ended.wav", "--max 60", endedBy: SIGTERM)
            let frames = try await (limited: limited, ended: ended)
            #expect(frames.limited == 288_000 && frames.ended > 5 * 48_000)
        }
    }

    @Test(
        "Outputs that would leave too few descriptors for the rest of a recording are refused",
        arguments: [(outputs: 4, isEnough: true), (16, false)])
    func outputsLeaveDescriptors(outputs: Int, isEnough: Bool) async throws {
        try await Rooms.with(.pulseAudio) { server, microphone in
            let names = (1...outputs).map { "-o \($0).wav" }.joined(separator: " ")
            let recording = TestRecording(on: server, "1.wav")
            let line = "ulimit -n 56; exec $accrec record -d near -r 48000 -c 2 \(names)"
            let result = try await server.shell(line, within: 20) { accrec in
                guard isEnough else { return }
                try await recording.wait(for: 0.5, accrec)
                // What needs the most: another connection, while the files are open.
                try await server.unloadModule(microphone)
                _ = try await Rooms.plugIn(to: server)
                try await accrec.waitForStandardError(containing: "recording again")
                try await recording.finish(accrec, after: 0.5)
            }
            #expect(result.end == .exit(isEnough ? 0 : 11), "\(result.standardError)")
            #expect(isEnough || result.standardError.contains("Too many open files. Allow more open files (ulimit -n)"))
            #expect(try server.fileNames().count { $0.hasSuffix(".wav") } == (isEnough ? outputs : 0))
        }
    }

    @Test(
        "With too few descriptors a recording fails with a message instead of trapping",
        arguments: [3, 4, 8, 9, 12, 18, 24, 32, 48])
    func smallLimits(limit: Int) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let result = try await server.shell(
                "ulimit -n \(limit); exec $accrec record -o take.wav -d room.monitor --max 0.5")
            guard result.end != .exit(0) else {
                #expect(try server.wav().frames == 24_000)
                return
            }
            // The dynamic loader itself may fail.
            if limit < 5, result.end == .exit(127) { return }
            #expect(result.end == .exit(1) && result.standardError.contains("Raise the limit (ulimit -n)"))
        }
    }
}
