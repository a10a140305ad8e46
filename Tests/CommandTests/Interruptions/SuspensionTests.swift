import Foundation
import TestSupport
import Testing

/// A source that delivers nothing: suspended, or stalled.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SuspensionTests {
    @Test("I-04, I-05: suspended, and resumed in time or not")
    func aSuspendedSourceIsWaitedFor() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let (patient, hasty) = (Take(on: server), Take(on: server, "hasty.wav"))
            let result = try await AccrecProcess.with(patient.record(), on: server) { accrec in
                try await patient.wait(for: 1, accrec)
                let given = try await AccrecProcess.with(
                    hasty.record(with: ["--interruption-timeout", "3"]), on: server
                ) { other in
                    try await hasty.wait(for: 1, other)
                    try await server.pactl("suspend-source", "near", "1")
                    return try await other.wait(within: 20)
                }
                #expect(given.end == .exit(1))
                #expect(given.standardError.contains("the take is interrupted: the source is suspended."))
                #expect(given.standardError.contains("broke off: the source was suspended."))
                #expect(try hasty.counter().numbers.count > 48_000)

                try await server.pactl("suspend-source", "near", "0")
                try await accrec.waitForStandardError(containing: "are missing, for the source was suspended.")
                return try await patient.finish(accrec, after: 1)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            _ = try patient.counter()
        }
    }

    @Test("B-04: a running source that delivers nothing is told, opened again, and given up in the end")
    func aStalledSourceIsGivenUp() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadStalledSource("silent")
            let take = Take(on: server)
            let result = try await AccrecProcess.run(
                take.record(from: "silent", with: ["--interruption-timeout", "5"]), on: server)
            #expect(result.end == .exit(1))
            #expect(result.standardError.contains("the take is interrupted: the source delivers nothing."))
            #expect(result.standardError.components(separatedBy: "recording from").count >= 3)
            #expect(!FileManager.default.fileExists(atPath: take.url.path))
        }
    }
}
