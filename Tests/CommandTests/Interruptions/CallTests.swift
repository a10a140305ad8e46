import Foundation
import TestSupport
import Testing

/// Calls of other programs, as servers announce them, and the effect of a recording on other programs' sound. What a call does
/// to a recording is tested without a server.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct CallTests {
    @Test(
        "I-01: a server announces calls that programs play or record, and their end", arguments: ServerKind.allCases)
    func calls(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let recording = TestRecording(on: server)
            let events = EventsFile(on: server)
            let silence = Signal.data([Int16](repeating: 0, count: 9_600))
            try await server.record(recording, with: ["--events", "events.jsonl"]) { accrec in
                func expectInterruption(_ count: Int) async throws {
                    try await events.wait(for: "interrupted", count: count, accrec)
                    #expect(try events.lines("interrupted").allSatisfy { $0.reason == "call" })
                    #expect(try events.lines("resumed").count == count - 1)
                }
                try await recording.wait(for: 0.5, accrec)
                try await Player.with(silence, into: "room", on: server, role: "phone") { _ in
                    try await expectInterruption(1)
                }
                try await events.wait(for: "resumed", accrec)
                let environment = server.environment.merging(["PULSE_PROP_media.role": "phone"]) { $1 }
                try await ChildProcess.with(["parec", "--device=room.monitor"], environment: environment) { _ in
                    try await expectInterruption(2)
                }
                try await events.wait(for: "resumed", count: 2, accrec)
                try await recording.finish(accrec, after: 0.5)
            }
        }
    }

    @Test(
        "B-02: music is neither corked nor ducked by a recording, but by a call",
        arguments: ["module-role-cork", "module-role-ducking"])
    func leavesMusicAlone(module: String) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("hall")
            try await server.loadModule(module, ["use_source_trigger=true", "global=true"])
            let level: Int16 = 8_000
            let music = Signal.data([Int16](repeating: level, count: 9_600))
            try await Player.with(music, into: "hall", on: server, role: "music") { _ in
                for mode in ["default", "measurement", "video-recording", "spoken-audio", "voice-chat"] {
                    let recording = TestRecording(on: server, "\(mode).wav")
                    let result = try await AccrecProcess.run(
                        recording.record(from: "hall.monitor", with: ["-m", mode, "--max", "2"]),
                        on: server)
                    #expect(result.end == .exit(0), "\(result.standardError)")
                    // At the end, the recording had the music as a listener heard it.
                    let last = try PCMFile(wav: recording.url).int16.suffix(1_000)
                    #expect(last.allSatisfy { $0 == level } == (mode != "voice-chat"), "\(mode)")
                }
            }
        }
    }
}
