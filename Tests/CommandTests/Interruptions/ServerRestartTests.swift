import Foundation
import TestSupport
import Testing

/// A take continues after the server has restarted.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct ServerRestartTests {
    @Test(
        "I-08: after a kill and restart of the server there is one file with both parts complete",
        arguments: ServerKind.allCases)
    func aRestartedServerGoesOn(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            let counter = Signal.data(Signal.counter(from: 1, frames: 60 * 48_000, channels: 2))
            let take = Take(on: server)
            try await server.loadNullSink("room")
            try await Player.with(counter, into: "room", on: server) { player in
                try await AccrecProcess.with(take.record(from: "room.monitor"), on: server) { accrec in
                    try await take.wait(for: 1, accrec)
                    try await server.restart()
                    try await accrec.waitForStandardError(containing: "interrupted: sound server gone")
                    if try await !server.pactl("list", "short", "sinks").contains("room") {
                        try await server.loadNullSink("room")
                    }
                    try await Player.with(counter, into: "room", on: server) { _ in
                        try await eventually("the return: \(accrec.standardError)", within: 20) {
                            accrec.standardError.contains("recording again; ")
                        }
                        try await take.wait(forAnother: 1.5, accrec)
                        accrec.signal(SIGINT)
                        let result = try await accrec.wait()
                        #expect(result.end == .exit(0), "\(result.standardError)")
                    }
                }
                let (numbers, breaks) = try take.counter()
                #expect(numbers.count > 2 * 48_000)
                // There may be silence before each part.
                #expect(breaks.filter { numbers[$0 - 1] != 0 && numbers[$0] > 1 }.count <= 1)
            }
        }
    }
}
