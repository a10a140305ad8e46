import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite(.serialized, .timeLimit(.minutes(1)))
struct EarlyConnectionTests {
    @Test(
        "A connection that was begun early is the first's who asks for one to its server",
        arguments: ServerKind.allCases)
    func oneTakesIt(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try EarlyConnection.begin(to: server.address) {}
            let control = try #require(try await EarlyConnection.take(to: server.address))
            _ = try await control.serverAndSources()
            #expect(try await EarlyConnection.take(to: server.address) == nil)
        }
    }

    @Test("A connection to another server, or one that is closed by then, is no one's", arguments: ServerKind.allCases)
    func noneTakesIt(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try EarlyConnection.begin(to: server.address) {}
            #expect(try await EarlyConnection.take(to: nil) == nil)

            let control = try await PulseControl.connect(to: server.address)
            try EarlyConnection.begin(to: server.address) {}
            try await eventually("second client") {
                try await server.pactl("list", "short", "clients").split(separator: "accrec").count > 2
            }
            try await server.kill()
            try await eventually("disconnection") { !control.isOpen }
            await #expect(throws: PulseFailure.self) { try await PulseControl.connect(to: server.address) }
        }
    }

    @Test("Why there is none is told to whoever asks")
    func failureIsTold() async throws {
        try EarlyConnection.begin(to: "unix:/nonexistent/native") {}
        let failure = await #expect(throws: PulseFailure.self) {
            try await PulseControl.connect(to: "unix:/nonexistent/native")
        }
        #expect(failure?.reason == .noServer)
        #expect(failure?.message.hasSuffix("(server 'unix:/nonexistent/native')") == true)
    }
}
