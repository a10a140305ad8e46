import Foundation
import TestSupport
import Testing

/// Faults of all kinds, one after another, at random moments.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct RandomFaultTests {
    /// The faults of a seed are always the same; `ACCREC_FAULTS` asks for more of them, `ACCREC_SEED` for others.
    @Test("Random faults in a row: no foreign frame, every frame accounted for", arguments: ServerKind.allCases)
    func randomFaultsAreSurvived(kind: ServerKind) async throws {
        let variables = ProcessInfo.processInfo.environment
        let count = variables["ACCREC_FAULTS"].flatMap { Int($0) } ?? 8
        let seed = variables["ACCREC_SEED"].flatMap { UInt64($0) } ?? 1
        let choices = Signal.noise(seed: seed, samples: 2 * count).map { Int($0) + 32_768 }
        try await Rooms.with(kind) { server, first in
            try await server.setDefaultSource("hall.monitor")
            let take = Take(on: server)
            var microphone = first
            var log: [String] = []
            let result = try await AccrecProcess.with(take.record(with: ["--fill-gaps"]), on: server) { accrec in
                for fault in 0..<count {
                    // A random time of recording, up to half a second, before each fault.
                    try await take.wait(forAnother: 0.2 + Double(choices[2 * fault + 1] % 300) / 1_000, accrec)
                    switch choices[2 * fault] % 4 {
                    case 0:
                        log.append("unplug")
                        try await server.unloadModule(microphone)
                        microphone = try await server.makeMicrophone("near", hearing: "room")
                    case 1:
                        log.append("suspend")
                        try await server.pactl("suspend-source", "near", "1")
                        try await server.pactl("suspend-source", "near", "0")
                    case 2:
                        log.append("default")
                        try await server.setDefaultSource("near")
                        try await server.setDefaultSource("hall.monitor")
                    default:
                        log.append("move")
                        // There is none for a moment after the last fault.
                        let stream = try await eventually("a stream: \(accrec.standardError)") {
                            try? await server.recordStream(ofProcess: accrec.processID)
                        }
                        _ = try? await server.pactl("move-source-output", stream, "hall.monitor")
                    }
                }
                return try await take.finish(accrec, after: 1)
            }
            #expect(result.end == .exit(0), "\(log): \(result.standardError)")
            let numbers = try take.counter().numbers
            let sounds = numbers.indices.filter { numbers[$0] != 0 }
            let (start, end) = (try #require(sounds.first) + 4_096, try #require(sounds.last))
            let shift = Int(numbers[end]) - end - (Int(numbers[start]) - start)
            // What is missing was filled: each fault is off by the jitter of the server's latency at most.
            #expect(abs(shift) < 1_200 * count, "\(shift) frames after \(log)")
            print("\(kind.rawValue), seed \(seed): \(shift) frames off after \(log)")
        }
    }
}
