import Foundation
import TestSupport
import Testing

/// A recording continues after the server has restarted.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ServerRestartTests {
    @Test(
        "I-08: after a kill and restart of the server there is one file with both parts complete",
        arguments: ServerKind.allCases)
    func aRestartedServerGoesOn(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            let recording = TestRecording(on: server)
            try await server.record(recording) { accrec in
                try await recording.wait(for: 1, accrec)
                try await server.restart()
                try await accrec.waitForStandardError(containing: "interrupted: sound server gone")
                // PipeWire keeps the sinks of a killed server.
                if try await server.sampleSpec(of: "room.monitor") == nil { try await server.loadNullSink("room") }
                try await Player.with(.counter, into: "room", on: server) { _ in
                    try await accrec.waitForStandardError(containing: "recording again; ", within: 20)
                    try await recording.finish(accrec, after: 1.5)
                }
            }
            let (numbers, breaks) = try recording.counter()
            #expect(numbers.count > 2 * 48_000)
            // There may be silence before each part.
            #expect(breaks.filter { numbers[$0 - 1] != 0 && numbers[$0] > 1 }.count <= 1)
        }
    }
}
