import Foundation
import TestSupport
import Testing

/// What a script learns from the way a take ends. Those of devices, servers, disks and mistakes are where these are tested.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ExitStatusTests {
    @Test("7: a file that cannot be mended")
    func beyondRepair() async throws {
        try await TemporaryDirectory.with { directory in
            try Data("no sound".utf8).write(to: directory.appending(path: "take.wav"))
            let result = try await AccrecProcess.run(["repair", "take.wav"], on: nil, in: directory)
            #expect(result.end == .exit(7), "\(result.standardError)")
        }
    }

    @Test("10: a server that does not let us in")
    func accessIsRefused() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            // Nobody can come in by this way.
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

    @Test("12: --strict lets no clipped sample pass, and nothing else is changed by it")
    func strictness() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: true)
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

    @Test("SIGHUP ends a take, unless it is to go on", arguments: [false, true])
    func hangUp(goesOn: Bool) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: true)
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
