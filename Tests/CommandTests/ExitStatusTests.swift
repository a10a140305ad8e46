import Foundation
import TestSupport
import Testing

/// Exit statuses of recordings. Those for devices, servers, disks and wrong usage are tested along with these.
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
            let address = ["PULSE_SERVER": "tcp:127.0.0.1:\(port)"]
            let result = try await server.record(["-o", "take.wav"], from: nil, environment: address, status: 10)
            #expect(result.standardError.contains("Access denied"))
        }
    }

    @Test("9: a server that does not answer")
    func aServerDoesNotAnswer() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            server.signal(SIGSTOP)
            defer { server.signal(SIGCONT) }
            try await server.accrec(["devices"], status: 9)
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
            let result = try await server.accrec(arguments, status: 130) { accrec in
                // Then it handles signals and waits for the server.
                try await eventually("a handler for SIGINT") {
                    let status = try String(contentsOfFile: "/proc/\(accrec.processID)/status", encoding: .utf8)
                    let caught = status.firstMatch(of: /SigCgt:\t(\S+)/).flatMap { UInt64($0.1, radix: 16) } ?? 0
                    return caught & (1 << UInt64(SIGINT - 1)) != 0
                }
                accrec.signal(SIGINT)
            }
            #expect(result.standardError.contains("ended before the recording began"))
            #expect(!server.hasFile("take.wav"))
        }
    }

    @Test("12: --strict rejects clipped samples, and changes nothing else")
    func strictness() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = ["-o", "take.wav", "--max", "0.5", "--strict", "--force"]
            try await server.record(recording)
            try await Player.with(.tone(440, peak: 3), into: "room", on: server) { _ in
                let result = try await server.record(recording + ["--report", "report.json"], status: 12)
                #expect(result.standardError.contains("CLIPPED"))
                #expect(try server.wav().frames == 24_000)
                #expect(try server.report().exitStatus == 12)
            }
        }
    }

    @Test("SIGHUP ends a recording unless it should continue", arguments: [false, true])
    func hangUp(goesOn: Bool) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            try await server.record(recording, with: goesOn ? ["--keep-going"] : []) { accrec in
                try await recording.wait(for: 0.5, accrec)
                accrec.signal(SIGHUP)
                if goesOn { try await recording.finish(accrec, after: 1) }
            }
            #expect(try PCMFile(wav: recording.url).frames > (goesOn ? 72_000 : 24_000))
        }
    }
}
