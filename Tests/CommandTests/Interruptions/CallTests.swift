import Foundation
import TestSupport
import Testing

/// Calls of other programs, and the effect of a take on other programs' sound.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct CallTests {
    @Test(
        "I-01: a call pauses the take and its end resumes it, unless calls are ignored",
        arguments: ServerKind.allCases)
    func aCallPauses(kind: ServerKind) async throws {
        try await Rooms.with(kind) { server, _ in
            let (paused, ignoring) = (Take(on: server), Take(on: server, "ignoring.wav"))
            let silence = Signal.data([Int16](repeating: 0, count: 9_600))
            try await AccrecProcess.with(ignoring.record(with: ["--on-call", "ignore"]), on: server) { other in
                let result = try await AccrecProcess.with(
                    paused.record(with: ["--interruption-timeout", "0.5"]), on: server
                ) { accrec in
                    try await paused.wait(for: 1, accrec)
                    try await ignoring.wait(for: 1, other)
                    try await Player.with(silence, into: "hall", on: server, role: "phone") { _ in
                        try await accrec.waitForStandardError(containing: "interrupted: call in another program")
                        // A call is waited for without a time limit.
                        try await ignoring.wait(forAnother: 1, other)
                    }
                    try await accrec.waitForStandardError(containing: ": call in another program (")
                    return try await paused.finish(accrec, after: 1)
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
                _ = try paused.counter()
                other.signal(SIGINT)
                let ignored = try await other.wait()
                #expect(!ignored.standardError.contains("interrupted"))
                try ignoring.expectSmallGaps(ignored)
            }
        }
    }

    @Test(
        "B-02: music is neither corked nor ducked by a take, but by a call",
        arguments: ["module-role-cork", "module-role-ducking"])
    func leavesMusicAlone(module: String) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("hall")
            try await server.loadModule(module, ["use_source_trigger=true", "global=true"])
            let level: Int16 = 8_000
            let music = Signal.data([Int16](repeating: level, count: 9_600))
            try await Player.with(music, into: "hall", on: server, role: "music") { _ in
                for mode in ["default", "measurement", "video-recording", "spoken-audio", "voice-chat"] {
                    let take = Take(on: server, "\(mode).wav")
                    let result = try await AccrecProcess.run(
                        take.record(from: "hall.monitor", with: ["-m", mode, "--encoding", "s16", "--max", "2"]),
                        on: server)
                    #expect(result.end == .exit(0), "\(result.standardError)")
                    // At the end, the take recorded the music as a listener heard it.
                    let last = try PCMFile(wav: take.url).int16.suffix(1_000)
                    #expect(last.allSatisfy { $0 == level } == (mode != "voice-chat"), "\(mode)")
                }
            }
        }
    }
}
