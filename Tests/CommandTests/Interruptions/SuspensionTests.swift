import Foundation
import TestSupport
import Testing

/// A source that delivers nothing because it is suspended or stalled.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct SuspensionTests {
    @Test("I-04, I-05: a suspended source, resumed in time or not")
    func aSuspendedSourceIsWaitedFor() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let (patient, hasty) = (TestRecording(on: server), TestRecording(on: server, "hasty.wav"))
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
                #expect(given.standardError.contains("interrupted: source suspended"))
                #expect(given.standardError.contains("ended early: source suspended."))
                #expect(try hasty.counter().numbers.count > 48_000)

                try await server.pactl("suspend-source", "near", "0")
                try await accrec.waitForStandardError(containing: ": source suspended (")
                return try await patient.finish(accrec, after: 1)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            _ = try patient.counter()
        }
    }

    @Test("B-04: a running source that delivers nothing is reported, reopened, and finally abandoned")
    func aStalledSourceIsGivenUp() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadStalledSource("silent")
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.run(
                recording.record(from: "silent", with: ["--interruption-timeout", "5"]), on: server)
            #expect(result.end == .exit(1))
            #expect(result.standardError.contains("interrupted: source delivered nothing"))
            #expect(result.standardError.components(separatedBy: "recording from").count >= 3)
            #expect(!FileManager.default.fileExists(atPath: recording.url.path))
        }
    }

    @Test(
        "I-04, I-07: a suspended source that is resumed while other clients open it is left within half a second",
        arguments: [true, false])
    func aSourceIsLeftJustAfterItWasResumed(isUnloaded: Bool) async throws {
        try await Rooms.with(.pulseAudio) { server, microphone in
            try await server.setDefaultSource("hall.monitor")
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.with(recording.record(), on: server) { accrec in
                var microphone = microphone
                for _ in 1...2 {
                    try await recording.wait(forAnother: 1, accrec)
                    try await SampleClock.with(of: "hall.monitor", on: server) { clock in
                        try await server.pactl("suspend-source", "near", "1")
                        // How long it is suspended, and how long after that it is left, as needed to cause the fault.
                        try await clock.wait(for: 0.5)
                        try await OtherClients.with(4, recording: "near", latency: 5, on: server) {
                            try await server.pactl("suspend-source", "near", "0")
                            try await clock.wait(for: 0.3)
                            if isUnloaded {
                                try await server.unloadModule(microphone)
                                microphone = try await Rooms.plugIn(to: server)
                            } else {
                                let stream = try await server.recordStream(ofProcess: accrec.processID)
                                _ = try? await server.pactl("move-source-output", stream, "hall.monitor")
                            }
                        }
                    }
                }
                return try await recording.finish(accrec, after: 1)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            _ = try recording.counter()
        }
    }
}
