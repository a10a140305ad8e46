import Glibc
import TestSupport

/// A private server as the environment names it, for code that configures nothing.
enum ClientServer {
    /// Runs a body with a server that PULSE_SERVER points to and a source that PULSE_SOURCE names, which hears a
    /// 1 kHz tone of -12 dBFS.
    ///
    /// The environment is the process's. Nothing else in this target runs meanwhile, and tests of other targets
    /// name their servers.
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
