import Foundation
import TestSupport
import Testing

/// Idle sleep is inhibited during a take by a lock of a real logind.
@Suite(.timeLimit(.minutes(1)))
struct InhibitSleepTests {
    private static let take = ["record", "-o", "take.wav", "-d", "room.monitor"]

    @Test(
        "B-07: idle sleep is inhibited exactly while a take runs, however it ends",
        .enabled("needs user namespaces") { try await PrivateLogind.isPossible }, arguments: [SIGINT, SIGKILL])
    func aTakeHoldsALock(signal: Int32) async throws {
        try await PrivateLogind.with { logind in
            try await PrivateServer.with(.pulseAudio) { server in
                try await server.loadNullSink("room")
                #expect(try await logind.locks.isEmpty)
                try await Self.record([], on: server, logind) { accrec in
                    try await eventually("a lock: \(accrec.standardError)") { try await !logind.locks.isEmpty }
                    let lock = try #require(try await logind.locks.first).split(separator: " ")
                    #expect(lock.first == "accrec")
                    // Nothing else is inhibited, so explicit requests to sleep still work.
                    #expect(lock.contains("idle") && lock.last == "block")
                    try await Self.waitForFrames(of: accrec, on: server)
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
            try await PrivateServer.with(.pulseAudio) { server in
                try await server.loadNullSink("room")
                try await Self.record(["--no-inhibit-sleep"], on: server, logind) { accrec in
                    try await Self.waitForFrames(of: accrec, on: server)
                    #expect(try await logind.locks.isEmpty)
                }
            }
        }
    }

    @Test("B-07: without logind, a take reports that only if inhibiting sleep was requested")
    func missingLogindIsReported() async throws {
        let variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let quiet = try await AccrecProcess.run(
                Self.take + ["--max", "1", "-q"], on: server, environment: variables, in: server.directory)
            #expect(quiet.end == .exit(0))
            #expect(quiet.standardError.isEmpty)

            let arguments = Self.take + ["--force", "--max", "2", "--inhibit-sleep"]
            let result = try await AccrecProcess.with(
                arguments, on: server, environment: variables, in: server.directory
            ) { accrec in
                try await accrec.waitForStandardError(containing: "cannot inhibit sleep: systemd-inhibit: ")
                try await accrec.waitForStandardError(containing: "The recording goes on")
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
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
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let programs = server.directory.appending(path: "programs")
            try Self.makeInhibitor(in: server.directory, saying: "here")
            try Self.makeInhibitor(in: programs, saying: "\(server.directory.path)/open")
            let path = ":\(programs.path):\(server.environment["PATH"] ?? "")"
            let accrec = try AccrecProcess.executable()
            let take = (Self.take + ["--max", "0.5", "--inhibit-sleep"]).joined(separator: " ")
            let result = try await ChildProcess.run(
                ["bash", "-c", "exec 5>five; exec \(accrec) \(take)"],
                environment: server.environment.merging(["PATH": path]) { $1 }, in: server.directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            let open = try String(contentsOf: server.directory.appending(path: "open"), encoding: .utf8)
            // bash opens some of its own.
            #expect(open.contains("/fd/2 ") && !open.contains("/fd/5 "), "\(open)")
            #expect(!FileManager.default.fileExists(atPath: server.directory.appending(path: "here").path))
        }
    }

    @Test("Consecutive takes leave no zombie processes")
    func noProcessIsLeft() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let programs = server.directory.appending(path: "programs")
            try Self.makeInhibitor(in: programs, saying: "open")
            let path = "\(programs.path):\(server.environment["PATH"] ?? "")"
            let takes = [
                "record", "-o", "{n}.wav", "-d", "room.monitor", "--every", "1", "--for", "0.2", "--inhibit-sleep",
            ]
            try await AccrecProcess.with(takes, on: server, environment: ["PATH": path], in: server.directory) {
                accrec in
                try await eventually("three takes: \(accrec.standardError)", within: 20) {
                    FileManager.default.fileExists(atPath: server.directory.appending(path: "003.wav").path)
                }
                let result = try await ChildProcess.run(
                    ["ps", "--ppid", "\(accrec.processID)", "-o", "stat=,comm="])
                let children = result.text.split(separator: "\n")
                // That of a take that is running or has just ended.
                #expect(children.count <= 1, "\(children)")
            }
        }
    }

    private static func waitForFrames(of accrec: ChildProcess, on server: PrivateServer) async throws {
        let path = server.directory.appending(path: "take.wav").path
        try await eventually("half a second of the take: \(accrec.standardError)") {
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            return size ?? 0 > 44_100
        }
    }

    private static func record<Value>(
        _ more: [String], on server: PrivateServer, _ logind: PrivateLogind,
        _ body: (ChildProcess) async throws -> Value
    ) async throws -> Value {
        try await AccrecProcess.with(
            take + more, on: server, environment: logind.environment, in: server.directory, body)
    }
}
