import Foundation
import TestSupport
import Testing

/// Idle sleep is inhibited during a recording by a lock of a real logind.
@Suite(.timeLimit(.minutes(1)))
struct InhibitSleepTests {
    private static let recording = ["-o", "take.wav"]

    @Test(
        "B-07: idle sleep is inhibited exactly while a recording runs, however it ends",
        .enabled("needs user namespaces") { try await PrivateLogind.isPossible }, arguments: [SIGINT, SIGKILL])
    func aTakeHoldsALock(signal: Int32) async throws {
        try await PrivateLogind.with { logind in
            try await PrivateServer.withRoom(.pulseAudio) { server in
                #expect(try await logind.locks.isEmpty)
                let recording = TestRecording(on: server)
                try await server.record(recording, environment: logind.environment, status: nil) { accrec in
                    try await eventually("a lock: \(accrec.standardError)") { try await !logind.locks.isEmpty }
                    let lock = try #require(try await logind.locks.first).split(separator: " ")
                    #expect(lock.first == "accrec")
                    // Nothing else is inhibited, so explicit requests to sleep still work.
                    #expect(lock.contains("idle") && lock.last == "block")
                    try await recording.wait(for: 0.5, accrec)
                    accrec.signal(signal)
                    let end = try await accrec.wait().end
                    #expect(end == (signal == SIGINT ? .exit(0) : .signal(signal)))
                    try await eventually("no lock") { try await logind.locks.isEmpty }
                }
            }
        }
    }

    @Test(
        "B-07: idle sleep is not inhibited on request",
        .enabled("needs user namespaces") { try await PrivateLogind.isPossible })
    func aTakeWithoutALock() async throws {
        try await PrivateLogind.with { logind in
            try await PrivateServer.withRoom(.pulseAudio) { server in
                let recording = TestRecording(on: server)
                let variables = logind.environment
                try await server.record(recording, with: ["--no-inhibit-sleep"], environment: variables) { accrec in
                    try await recording.wait(for: 0.5, accrec)
                    #expect(try await logind.locks.isEmpty)
                    accrec.signal(SIGINT)
                }
            }
        }
    }

    @Test("B-07: without logind, a recording reports that only if inhibiting sleep was requested")
    func missingLogindIsReported() async throws {
        let variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let quiet = try await server.record(Self.recording + ["--max", "1", "-q"], environment: variables)
            #expect(quiet.standardError.isEmpty)

            let options = Self.recording + ["--force", "--max", "2", "--inhibit-sleep"]
            let result = try await server.record(options, environment: variables) { accrec in
                try await accrec.waitForStandardError(containing: "cannot inhibit sleep: systemd-inhibit: ")
                try await accrec.waitForStandardError(containing: "The recording goes on")
            }
            #expect(result.standardError.contains("written   take.wav"))
        }
    }

    /// A replacement for systemd-inhibit that lists its descriptors before it runs the real one.
    private static func makeInhibitor(in directory: URL, saying name: String) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let program = directory.appending(path: "systemd-inhibit")
        try Data("#!/bin/bash\necho /proc/self/fd/* >\(name)\nexec cat\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    @Test("systemd-inhibit is not searched in the current directory, and inherits no descriptors")
    func inhibitorIsTheSystems() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let programs = server.file("programs")
            try Self.makeInhibitor(in: server.directory, saying: "here")
            try Self.makeInhibitor(in: programs, saying: "\(server.directory.path)/open")
            let path = ":\(programs.path):\(server.environment["PATH"] ?? "")"
            let result = try await server.shell(
                "exec 5>five; exec $accrec record -o take.wav -d room.monitor --max 0.5 --inhibit-sleep",
                environment: ["PATH": path])
            #expect(result.end == .exit(0), "\(result.standardError)")
            let open = try server.text("open")
            // bash opens some of its own.
            #expect(open.contains("/fd/2 ") && !open.contains("/fd/5 "), "\(open)")
            #expect(!server.hasFile("here"))
        }
    }

    @Test("Consecutive recordings leave no zombie processes")
    func noProcessIsLeft() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let programs = server.file("programs")
            try Self.makeInhibitor(in: programs, saying: "open")
            let path = "\(programs.path):\(server.environment["PATH"] ?? "")"
            let options = ["-o", "{n}.wav", "--every", "1", "--for", "0.2", "--inhibit-sleep"]
            try await server.record(options, environment: ["PATH": path]) { accrec in
                try await eventually("three recordings: \(accrec.standardError)", within: 20) {
                    server.hasFile("003.wav")
                }
                let result = try await ChildProcess.run(["ps", "--ppid", "\(accrec.processID)", "-o", "stat=,comm="])
                let children = result.text.split(separator: "\n")
                // That of a recording that is running or has just ended.
                #expect(children.count <= 1, "\(children)")
                accrec.signal(SIGINT)
            }
        }
    }
}
