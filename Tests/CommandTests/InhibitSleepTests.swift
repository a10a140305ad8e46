import Foundation
import TestSupport
import Testing

/// The machine is kept from falling asleep for being idle while a take runs, by a real logind's lock.
@Suite(.timeLimit(.minutes(1)))
struct InhibitSleepTests {
    private static let take = ["record", "-o", "take.wav", "-d", "room.monitor"]

    @Test(
        "B-07: idle sleep is held off while a take runs, and no longer, however it ends",
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
                    // Nothing else is held off: a machine that is told to sleep does.
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
        "B-07: idle sleep is let alone on request",
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

    @Test("B-07: where nobody answers, a take says so only if it was asked to hold sleep off")
    func aMissingLogindIsTold() async throws {
        let variables = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let quiet = try await AccrecProcess.run(
                Self.take + ["--max", "1", "-q"], on: server, environment: variables, in: server.directory)
            #expect(quiet.end == .exit(0))
            #expect(quiet.standardError.isEmpty)

            let arguments = Self.take + ["--force", "--max", "2", "--inhibit-sleep"]
            let told = try await AccrecProcess.with(
                arguments, on: server, environment: variables, in: server.directory
            ) { accrec in
                try await accrec.waitForStandardError(containing: "cannot keep the machine awake: systemd-inhibit: ")
                try await accrec.waitForStandardError(containing: "The take goes on")
                return try await accrec.wait()
            }
            #expect(told.end == .exit(0), "\(told.standardError)")
            #expect(told.standardError.contains("written   take.wav"))
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
