import Foundation
import TestSupport
import Testing

/// Exit statuses of takes. Those for devices, servers, disks and wrong usage are tested along with these.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ExitStatusTests {
    @Test("7: a file that cannot be repaired")
    func beyondRepair() async throws {
        try await TemporaryDirectory.with { directory in
            try Data("no sound".utf8).write(to: directory.appending(path: "take.wav"))
            let result = try await AccrecProcess.run(["repair", "take.wav"], on: nil, in: directory)
            #expect(result.end == .exit(7), "\(result.standardError)")
        }
    }

    @Test("10: a server that denies access")
    func accessIsRefused() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            // A port that rejects every client.
            let port = try LoopbackPort.free()
            try await server.loadModule(
                "module-native-protocol-tcp",
                ["listen=127.0.0.1", "port=\(port)", "auth-anonymous=no", "auth-cookie-enabled=no"])
            let result = try await AccrecProcess.run(
                ["record", "-o", "take.wav"], on: server, environment: ["PULSE_SERVER": "tcp:127.0.0.1:\(port)"],
                in: server.directory)
            #expect(result.end == .exit(10), "\(result.standardError)")
            #expect(result.standardError.contains("Access denied"))
        }
    }

    @Test("9: a server that does not answer")
    func aServerDoesNotAnswer() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            let result = try await AccrecProcess.run(["devices"], on: server)
            #expect(result.end == .exit(9), "\(result.standardError)")
        }
    }

    @Test(
        "130: Ctrl-C while the server does not answer ends the program and leaves no file",
        arguments: ["record", "meter"])
    func ctrlCWhileConnecting(command: String) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            let arguments = [command] + (command == "record" ? ["-o", "take.wav"] : [])
            try await AccrecProcess.with(arguments, on: server, in: server.directory) { accrec in
                // Then it handles signals and waits for the server.
                try await eventually("a handler for SIGINT") {
                    let status = try String(contentsOfFile: "/proc/\(accrec.processID)/status", encoding: .utf8)
                    let caught = status.firstMatch(of: /SigCgt:\t(\S+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
                    return caught & (1 << UInt64(SIGINT - 1)) != 0
                }
                accrec.signal(SIGINT)
                let result = try await accrec.wait()
                #expect(result.end == .exit(130), "\(result.standardError)")
                #expect(result.standardError.contains("ended before the recording began"))
            }
            let path = server.directory.appending(path: "take.wav").path
            #expect(!FileManager.default.fileExists(atPath: path))
        }
    }

    @Test("12: --strict rejects clipped samples, and changes nothing else")
    func strictness() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = ["record", "-o", "take.wav", "-d", "room.monitor", "--max", "0.5", "--strict", "--force"]
            let whole = try await AccrecProcess.run(take, on: server, in: server.directory)
            #expect(whole.end == .exit(0), "\(whole.standardError)")
            let loud = Signal.int16(Signal.sine(frequency: 440, peak: 3, rate: 48_000, channels: 2, frames: 48_000))
            try await Player.with(Signal.data(loud), into: "room", on: server) { _ in
                let result = try await AccrecProcess.run(
                    take + ["--report", "report.json"], on: server, in: server.directory)
                #expect(result.end == .exit(12) && result.standardError.contains("CLIPPED"))
                #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 22_050)
                let report = try String(contentsOf: server.directory.appending(path: "report.json"), encoding: .utf8)
                #expect(report.contains(#""exit_status":12"#))
            }
        }
    }

    @Test("SIGHUP ends a take unless it should continue", arguments: [false, true])
    func hangUp(goesOn: Bool) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = Take(on: server)
            let options = goesOn ? ["--keep-going"] : []
            let result = try await AccrecProcess.with(
                take.record(from: "room.monitor", with: options), on: server
            ) { accrec in
                try await take.wait(for: 0.5, accrec)
                accrec.signal(SIGHUP)
                return goesOn ? try await take.finish(accrec, after: 1) : try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try PCMFile(wav: take.url).frames > (goesOn ? 72_000 : 24_000))
        }
    }
}
