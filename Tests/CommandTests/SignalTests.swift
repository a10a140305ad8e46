import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Messages and findings about the signal of a microphone.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SignalTests {
    private static let rate = 48_000

    /// Ten seconds of noise in two channels, where the left one is so many times as loud, and the right one silent in the second
    /// half, if so.
    private static func noise(left: Int = 1, rightDies: Bool = false) -> Player.Signal {
        var random = SplitMix64(seed: 46)
        let samples: [Int16] = (0..<rate * 10).flatMap { frame in
            let noise = (0..<2).map { _ in Int16(truncatingIfNeeded: Int(random.next() >> 57)) - 64 }
            let isDead = rightDies && frame >= rate * 5
            return [noise[0] * Int16(left), isDead ? 0 : noise[1]]
        }
        return .samples(Signal.data(samples))
    }

    /// Records from a microphone that hears a sink until a message is there.
    private func record(
        until message: String, on server: PrivateServer, with options: [String] = [], status: Int32 = 0
    ) async throws -> (messages: String, report: RecordingReport) {
        try await server.makeMicrophone("near", hearing: "room")
        let result = try await server.record(
            ["-m", "measurement", "--report", "report.json", "--events", "events.jsonl", "-o", "take.wav"] + options,
            from: "near", status: status
        ) { accrec in
            try await accrec.waitForStandardError(containing: message, within: 60)
            accrec.signal(SIGINT)
        }
        return (result.standardError, try server.report("report.json").recording)
    }

    @Test("A channel that falls silent in mid-take is told, and when it sounds again", arguments: ServerKind.allCases)
    func silence(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: Self.noise(rightDies: true)) { server in
            let (messages, report) = try await record(
                until: "channel 2 was silent from", on: server, with: ["--strict"], status: 12)
            #expect(messages.contains("channel 2 has been silent since 0:0"), "\(messages)")
            #expect(messages.contains("\nSILENT    channel 2 from 0:0"), "\(messages)")
            let silences = report.findings.filter { $0.kind == .silence }
            #expect(silences.map(\.channels) == [[2]])
            #expect(silences.first.map { abs($0.frames.count - 5 * Self.rate) < Self.rate / 10 } ?? false)
            let told = try String(contentsOf: server.file("events.jsonl"), encoding: .utf8)
                .split(separator: "\n").filter { $0.contains(#""event":"signal""#) && $0.contains(#""kind":"silent""#) }
            #expect(told.count == 2, "\(told)")
            #expect(report.figures?.frameCount == report.frameCount)
        }
    }

    @Test("A microphone on one side of a stereo pair is told")
    func oneSided() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: Self.noise(left: 100)) { server in
            let (messages, report) = try await record(until: "one-sided", on: server)
            #expect(messages.contains("--select"), "\(messages)")
            #expect(report.findings.contains { $0.kind == .oneSided && $0.channels == [2] })
        }
    }

    @Test("What the desktop plays is silent because it plays nothing")
    func monitor() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: Self.noise(rightDies: true)) { server in
            let options = ["-m", "measurement", "--report", "report.json", "-o", "take.wav", "--max", "11"]
            let result = try await server.record(options, from: "room.monitor", within: 30)
            let report = try server.report("report.json").recording
            #expect(report.findings.isEmpty, "\(report.findings)")
            #expect(!result.standardError.contains("silent"), "\(result.standardError)")
            #expect(report.figures?.integrated != nil)
        }
    }
}
