import Foundation
import TestSupport
import Testing

/// Takes that begin at a set time.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ScheduledTakeTests {
    private static let form = ["-r", "48000", "--events", "events.jsonl"]

    @Test("Takes repeat at their interval, each exactly as long as requested, until a signal")
    func repeatedTakes() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let options = ["-o", "log-{n}.wav", "--every", "2", "--for", "0.5"]
            let result = try await server.record(options + Self.form) { accrec in
                try await EventsFile(on: server).wait(for: "finished", count: 3, accrec)
                accrec.signal(SIGTERM)
            }
            #expect(result.standardError.contains("accrec: ended before the next recording began\n"))
            let names = try server.fileNames().filter { $0.hasSuffix(".wav") }
            #expect(names.count == 3)
            for name in names { #expect(try server.wav(name).frames == 24_000) }
        }
    }

    @Test("Takes continue after the clock is set back by an hour")
    func clockThatIsSetBack() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let clocks = try await ShiftedClocks(in: server.directory)
            let options = ["-o", "log-{n}.wav", "--every", "2", "--for", "0.5"]
            let result = try await server.record(options + Self.form, environment: clocks.variables) { accrec in
                let events = EventsFile(on: server)
                try await events.wait(for: "finished", accrec)
                try clocks.shift(.wall, by: -3_600)
                try await events.wait(for: "finished", count: 3, accrec)
                accrec.signal(SIGTERM)
            }
            #expect(!result.standardError.contains("left out"))
        }
    }

    @Test("A take begins at its time, and not before")
    func takesThatWait() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            // Three seconds from now, or slightly more.
            let start = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 3).rounded(.up))
            let time = start.formatted(Date.ISO8601FormatStyle())
            let options = ["-o", "take.wav", "--start-at", time, "--for", "0.5"]
            let result = try await server.record(options + Self.form)
            #expect(result.standardError.contains("accrec: recording begins at "))
            #expect(try server.wav().frames == 24_000)
            let captured = try #require(try EventsFile(on: server).lines("started").first?.captured)
            #expect(captured.timeIntervalSince(start) > -0.002, "\(captured), not \(time)")
        }
    }

    @Test("A take is recorded if its server starts only during the wait")
    func lateServer() async throws {
        try await ServerKind.allCases.concurrentForEach { kind in
            try await PrivateServer.with(kind) { server in
                try await server.kill()
                let options = ["-o", "take.wav", "--start-in", "8", "--for", "0.5"]
                try await server.record(options + Self.form) { accrec in
                    try await accrec.waitForStandardError(containing: "accrec: recording begins at ")
                    try await server.restart()
                    try await server.loadNullSink("room")
                }
                #expect(try server.wav().frames == 24_000)
            }
        }
    }

    @Test("A take that is cancelled during the wait leaves nothing", arguments: [SIGINT, SIGTERM])
    func endedWhileWaiting(signal: Int32) async throws {
        try await TemporaryDirectory.with { directory in
            let command = ["record", "-o", "take.wav", "--start-in", "1h"]
            let result = try await AccrecProcess.with(command, on: nil, in: directory) { accrec in
                try await accrec.waitForStandardError(containing: "Ctrl-C cancels")
                accrec.signal(signal)
                return try await accrec.wait(within: 10)
            }
            #expect(
                result.end == .exit(1) && result.standardError.hasSuffix("accrec: ended before the recording began\n"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }
}
