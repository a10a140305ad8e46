import Glibc
import TestSupport

/// A private server that the environment points to, for code that uses the default configuration.
enum ClientServer {
    /// Runs a body with a server named by PULSE_SERVER and a source named by PULSE_SOURCE, which receives a 1 kHz tone
    /// at -12 dBFS.
    ///
    /// Changes the environment of the process. The tests of this target run one at a time, and tests of other targets
    /// name their servers explicitly.
    static func with(_ kind: ServerKind, _ body: (PrivateServer) async throws -> Void) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let tone = Signal.sine(frequency: 1_000, peak: -12, rate: 48_000, channels: 2, frames: 48_000)
            try await Player.with(Signal.data(Signal.int16(tone)), into: "room", on: server) { _ in
                setenv("PULSE_SERVER", server.address, 1)
                setenv("PULSE_SOURCE", "room.monitor", 1)
                defer {
                    unsetenv("PULSE_SERVER")
                    unsetenv("PULSE_SOURCE")
                }
                try await body(server)
            }
        }
    }
}
