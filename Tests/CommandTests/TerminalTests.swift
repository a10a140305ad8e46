import Foundation
import TestSupport
import Testing

/// What a person sees, on a pseudo-terminal.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct TerminalTests {
    /// Runs a shell command on a terminal of its own; what the terminal showed is the result's text.
    private func onTerminal(_ command: String, server: PrivateServer) async throws -> ProcessResult {
        try await ChildProcess.run(
            ["script", "-qec", command, "/dev/null"],
            environment: server.environment.merging(["TERM": "xterm", "SHELL": "/bin/sh"]) { $1 },
            in: server.directory)
    }

    @Test func theMeterMovesAndTheTerminalIsLeftAsItWas() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let accrec = try AccrecProcess.executable()
            let tone = Signal.int16(Signal.sine(frequency: 1_000, peak: -12, rate: 48_000, channels: 2, frames: 48_000))
            try await Player.with(Signal.data(tone), into: "room", on: server) { _ in
                let take = "timeout -s INT --foreground 3 '\(accrec)' record -o take.wav -d room.monitor -c 2"
                let result = try await onTerminal(
                    "stty cols 100; stty -a >before; \(take); stty -a >after", server: server)
                let rows = result.text.split(separator: "\r").filter { $0.hasPrefix("REC ") }
                #expect(rows.count > 5)
                #expect(rows.contains { $0.contains("peak  -12.0 dBFS") && $0.contains("#=") })
                #expect(rows.allSatisfy { $0.prefix { $0 != "\u{1B}" }.count < 100 })
                #expect(result.text.contains("\r\u{1B}[Kwritten   take.wav: "))
                let before = try String(contentsOf: server.directory.appending(path: "before"), encoding: .utf8)
                let after = try String(contentsOf: server.directory.appending(path: "after"), encoding: .utf8)
                #expect(before == after && before.contains("speed"))
            }
        }
    }

    @Test func samplesAreNotWrittenToATerminal() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            let accrec = try AccrecProcess.executable()
            let result = try await onTerminal("'\(accrec)' record -o -; echo status $?", server: server)
            #expect(result.text.contains("standard output is a terminal"))
            #expect(result.text.contains("status 64"))
        }
    }

    @Test func withoutATerminalThereIsNoMeterAndQuietSaysNothing() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let take = ["record", "-d", "room.monitor", "--max", "0.5", "-o"]
            let plain = try await AccrecProcess.run(take + ["plain.wav"], on: server, in: server.directory)
            #expect(plain.end == .exit(0))
            #expect(!plain.standardError.contains { $0 == "\r" || $0 == "\u{1B}" })
            let quiet = try await AccrecProcess.run(take + ["quiet.wav", "-q"], on: server, in: server.directory)
            #expect(quiet.end == .exit(0))
            #expect(quiet.standardError.isEmpty)
        }
    }
}
