import Foundation
import TestSupport
import Testing

/// Servers other than the one in the environment.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ServerOptionTests {
    /// No server is here.
    private static let elsewhere = ["PULSE_SERVER": "unix:/nonexistent/native"]

    @Test(
        "A named server is queried and recorded from, whatever PULSE_SERVER says",
        arguments: ServerKind.allCases)
    func namedServers(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let port = try LoopbackPort.free()
            try await server.loadModule(
                "module-native-protocol-tcp", ["listen=127.0.0.1", "port=\(port)", "auth-anonymous=1"])
            let options = ["--server", "tcp:127.0.0.1:\(port)"]
            @discardableResult func run(_ arguments: [String]) async throws -> ProcessResult {
                try await server.accrec(arguments, environment: Self.elsewhere)
            }
            #expect(try await run(["devices"] + options).text.contains("room.monitor"))
            try await Player.with(.tone(peak: -6), into: "room", on: server) { _ in
                let native = ["-d", "room.monitor", "-r", "native", "-c", "native"]
                try await run(["record", "-o", "take.wav", "--max", "1.5"] + native + options)
                let recording = try server.wav()
                #expect(recording.frames == 72_000)
                let measured = Tone.clearest(in: Array(recording.channel(1).suffix(48_000)), rate: 48_000, near: 1_000)
                #expect(abs(measured.peak + 6) < 0.01)
                let meter = try await run(["meter", "-d", "room.monitor", "--max", "0.5"] + options)
                #expect(meter.standardError.contains("-6.0 dBFS"))
            }
            // Manifests also have a key for the server.
            let manifest = "output,duration,device,server\nrow.wav,0.5,room.monitor,\(options[1])\n"
            try server.write(manifest, to: "m.csv")
            try await run(["batch", "m.csv"])
            #expect(try server.wav("row.wav").frames == 24_000)
        }
    }

    @Test("C-01: a recording has one connection to its server, and none to another", arguments: ServerKind.allCases)
    func connectionsOfATake(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try server.write("server = \"\(server.address)\"\n", to: "config.toml")
            let ways: [(arguments: [String], environment: [String: String])] = [
                (["--no-config"], [:]), (["--no-config", "--server=\(server.address)"], Self.elsewhere),
                (["--config", "config.toml"], Self.elsewhere),
                // Without another default server in the environment.
                (["--config", "config.toml"], [:]),
            ]
            for way in ways {
                let options = ["-o", "take.wav", "--force"] + way.arguments
                try await server.record(options, environment: way.environment) { recording in
                    try await recording.waitForStandardError(containing: "recording from")
                    let clients = try await server.pactl("list", "clients")
                    let ofRecording =
                        clients.split(separator: "application.process.id = \"\(recording.processID)\"").count - 1
                    #expect(ofRecording == 1, "\(way): \(clients)")
                    recording.signal(SIGINT)
                }
            }
        }
    }

    @Test("The message about an unreachable server names it and says what to do")
    func unreachableServers() async throws {
        let name = "unix:/nonexistent/other"
        let message = "Connection refused (server '\(name)'). Check the address"
        for command in [["record", "-o", "take.wav"], ["meter"], ["devices"], ["devices", "--watch"]] {
            let result = try await AccrecProcess.run(command + ["--server", name], on: nil)
            #expect(result.end == .exit(9) && result.standardError.contains(message), "\(result.standardError)")
        }
        let unnamed = try await AccrecProcess.run(["devices"], on: nil)
        #expect(unnamed.standardError.contains("(server 'unix:/nonexistent/native'). Start PulseAudio or"))
        let empty = try await AccrecProcess.run(["devices", "--server", " "], on: nil)
        #expect(empty.end == .exit(64) && empty.standardError.contains("tcp:host:4713"))
    }
}
