import Foundation
import TestSupport
import Testing

/// Recordings from a server that states impossible offsets (`Tests/Devices/faulty-server.py`).
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FaultyServerTests {
    /// Runs a body with the environment for a client of the faulty server.
    private func with(
        offset: Int, at name: String, of server: PrivateServer,
        _ body: (_ faulty: ChildProcess, _ environment: [String: String]) async throws -> Void
    ) async throws {
        let script = Project.file("Tests/Devices/faulty-server.py").path
        let socket = server.directory.appending(path: name).path
        let configuration = server.directory.appending(path: "client.conf")
        // Blocks in shared memory do not come by the socket.
        try Data("enable-shm = no\nenable-memfd = no\nautospawn = no\n".utf8).write(to: configuration)
        let target = String(server.address.trimmingPrefix("unix:"))
        try await ChildProcess.with(
            ["python3", script, socket, target, "\(offset)"], environment: server.environment
        ) { faulty in
            try await eventually("a faulty server: \(faulty.standardError)") { !faulty.standardOutput.isEmpty }
            try await body(
                faulty, ["PULSE_SERVER": "unix:\(socket)", "PULSE_CLIENTCONFIG": configuration.path])
        }
    }

    @Test(
        "However long a hole is, and if it ends within a frame, a recording ends as it should, and its file opens",
        arguments: ServerKind.allCases, [1 << 60, 2])
    func impossibleOffsets(kind: ServerKind, offset: Int) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await server.pactl("set-default-sink", "room")
            try await Application.with("player", .tone(1_000), on: server) { player in
                try await player.play()
                for source in [["-d", "room.monitor"], ["--app", "player"]] {
                    try await with(offset: offset, at: "faulty-\(source[1])", of: server) { faulty, environment in
                        let recording = TestRecording(on: server, "\(source[1]).wav")
                        try await AccrecProcess.with(
                            recording.record(from: nil, with: source), on: server, environment: environment
                        ) { accrec in
                            try await eventually("an offset: \(accrec.standardError)", within: 20) {
                                String(decoding: faulty.standardOutput, as: UTF8.self).contains("stated")
                            }
                            let length = recording.seconds
                            try await eventually("what follows: \(accrec.standardError)", within: 20) {
                                recording.seconds > length + 0.5 || !accrec.isRunning
                            }
                            accrec.signal(SIGINT)
                            let end = try await accrec.wait().end
                            // A server that cuts a frame does not speak the protocol.
                            let isOver = offset == 2 && source[0] == "-d"
                            #expect(end == .exit(isOver ? 1 : 0), "\(source): \(accrec.standardError)")
                            #expect(try !PCMFile(wav: recording.url).int16.isEmpty)
                        }
                    }
                }
            }
        }
    }
}
