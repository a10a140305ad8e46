import Foundation
import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite(.serialized, .timeLimit(.minutes(1)))
struct EarlyConnectionTests {
    @Test(
        "An early connection is used by the first request for its server",
        arguments: ServerKind.allCases)
    func isUsedOnce(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try EarlyConnection.begin(to: server.address) {}
            let control = try #require(try await EarlyConnection.claim(to: server.address))
            _ = try await control.sourceCatalog()
            #expect(try await EarlyConnection.claim(to: server.address) == nil)
        }
    }

    @Test("An early connection to another server, or one that was closed, is not used", arguments: ServerKind.allCases)
    func isNotUsed(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try EarlyConnection.begin(to: server.address) {}
            #expect(try await EarlyConnection.claim(to: nil) == nil)

            let control = try await PulseConnection.connect(to: server.address)
            try EarlyConnection.begin(to: server.address) {}
            try await eventually("second client") {
                try await server.pactl("list", "short", "clients").split(separator: "accrec").count > 2
            }
            try await server.kill()
            // Libpulse closes the socket of a connection that has ended; the tests have no other sockets.
            try await eventually("disconnection") { try !control.isOpen && openSocketCount() == 0 }
            await #expect(throws: CaptureFailure.self) { try await PulseConnection.connect(to: server.address) }
        }
    }

    /// The number of this process's sockets.
    private func openSocketCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return target?.hasPrefix("socket:") == true
        }
    }

    @Test(
        "If the early connection fails, the next request tries again and gets its own failure",
        arguments: ServerKind.allCases)
    func failureIsNotKept(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.kill()
            try EarlyConnection.begin(to: server.address) {}
            let failure = await #expect(throws: CaptureFailure.self) {
                try await PulseConnection.connect(to: server.address)
            }
            #expect(failure?.reason == .noServer)
            #expect(failure?.message.hasSuffix("(server '\(server.address)')") == true)

            let hasFailed = AsyncStream<Void>.makeStream()
            try EarlyConnection.begin(to: server.address) { hasFailed.continuation.finish() }
            for await _ in hasFailed.stream {}
            try await server.restart()
            _ = try await PulseConnection.connect(to: server.address)
        }
    }
}
