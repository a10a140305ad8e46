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
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let port = try LoopbackPort.free()
            try await server.loadModule(
                "module-native-protocol-tcp", ["listen=127.0.0.1", "port=\(port)", "auth-anonymous=1"])
            let options = ["--server", "tcp:127.0.0.1:\(port)"]
            func run(_ arguments: [String]) async throws -> ProcessResult {
                let result = try await AccrecProcess.run(
                    arguments, on: server, environment: Self.elsewhere, in: server.directory)
                #expect(result.end == .exit(0), "\(result.standardError)")
                return result
            }
            #expect(try await run(["devices"] + options).text.contains("room.monitor"))
            let tone = Signal.int16(Signal.sine(frequency: 1_000, peak: -6, rate: 48_000, channels: 2, frames: 48_000))
            try await Player.with(Signal.data(tone), into: "room", on: server) { _ in
                let native = ["-d", "room.monitor", "-r", "native", "-c", "native"]
                _ = try await run(["record", "-o", "take.wav", "--max", "1.5"] + native + options)
                let take = try PCMFile(wav: server.directory.appending(path: "take.wav"))
                #expect(take.frames == 72_000)
                let measured = Tone(in: Array(take.channel(1).suffix(24_000)), rate: 48_000, near: 1_000)
                #expect(abs(measured.peak + 6) < 0.01)
                let meter = try await run(["meter", "-d", "room.monitor", "--max", "0.5"] + options)
                #expect(meter.standardError.contains("-6.0 dBFS"))
            }
            // Manifests also have a key for the server.
            let manifest = "output,duration,device,server\nrow.wav,0.5,room.monitor,\(options[1])\n"
            try Data(manifest.utf8).write(to: server.directory.appending(path: "m.csv"))
            _ = try await run(["batch", "m.csv"])
            #expect(try PCMFile(wav: server.directory.appending(path: "row.wav")).frames == 22_050)
        }
    }

    @Test("C-01: a take has one connection to its server, and none to another", arguments: ServerKind.allCases)
    func connectionsOfATake(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let configuration = server.directory.appending(path: "config.toml")
            try Data("server = \"\(server.address)\"\n".utf8).write(to: configuration)
            let ways: [(arguments: [String], environment: [String: String])] = [
                (["--no-config"], [:]), (["--no-config", "--server=\(server.address)"], Self.elsewhere),
                (["--config", configuration.path], Self.elsewhere),
                // The early connection goes to the default server, which is not the named one.
                (["--config", configuration.path], [:]),
            ]
            for way in ways {
                let record = ["record", "-d", "room.monitor", "-o", "take.wav", "--force"]
                try await AccrecProcess.with(
                    record + way.arguments, on: server, environment: way.environment, in: server.directory
                ) { take in
                    try await eventually("recording: \(take.standardError)") {
                        take.standardError.contains("recording from")
                    }
                    let clients = try await server.pactl("list", "clients")
                    let ofTake = clients.split(separator: "application.process.id = \"\(take.processID)\"").count - 1
                    #expect(ofTake == 1, "\(way): \(clients)")
                    take.signal(SIGINT)
                    #expect(try await take.wait().end == .exit(0))
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
