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
        try await PrivateServer.withRoom(kind, playing: .tone(peak: -12)) { server in
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
