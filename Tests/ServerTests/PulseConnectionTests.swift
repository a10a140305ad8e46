import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite(.serialized, .timeLimit(.minutes(1)))
struct PulseConnectionTests {
    @Test(
        "A connection released on its own thread shuts down cleanly while the server announces changes",
        arguments: ServerKind.allCases)
    func endsOnItsOwnThread(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.pactl("load-module", "module-null-sink", "sink_name=hall")
            let mute = "pactl set-source-mute hall.monitor toggle"
            // Waits for its children, because a client that loses its server may run forever.
            let loop = "trap 'wait; exit' TERM; while :; do \(mute) & \(mute) & \(mute) & \(mute) & wait; done"
            try await ChildProcess.with(["sh", "-c", loop], environment: server.environment) { changes in
                for _ in 0..<100 {
                    try await releaseDuringChange(server).value
                }
                changes.signal(SIGTERM)
                _ = try await changes.wait()
            }
        }
    }

    @Test(
        "A connection to a server that was killed fails with its address, and succeeds once the server is back",
        arguments: ServerKind.allCases)
    func connectsAgain(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.kill()
            let failure = await #expect(throws: CaptureFailure.self) {
                try await PulseConnection.connect(to: server.address)
            }
            #expect(failure?.reason == .noServer)
            #expect(failure?.message.hasSuffix("(server '\(server.address)')") == true)
            try await server.restart()
            _ = try await PulseConnection.connect(to: server.address)
        }
    }

    /// Connects, and leaves the only reference in the handler for the server's next change.
    private func releaseDuringChange(_ server: PrivateServer) async throws -> Promise<Void> {
        let held = HeldConnection()
        let isGone = Promise<Void>()
        let connection = try await PulseConnection.connect(to: server.address)
        try await connection.observe { _ in
            guard let connection = held.connection.withLock({ $0.take() }) else { return }
            withExtendedLifetime(connection) {}
            isGone.fulfil(())
        }
        held.connection.withLock { $0 = connection }
        return isGone
    }

    private final class HeldConnection: Sendable {
        let connection = Mutex<PulseConnection?>(nil)
    }
}
