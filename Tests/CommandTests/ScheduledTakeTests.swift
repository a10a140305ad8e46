import Foundation
import TestSupport
import Testing

/// Takes that begin at a set time. Which take begins when is tested without a server.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ScheduledTakeTests {
    @Test(
        "Takes begin at their time and not before, as long as requested, though their server starts only during the wait"
    )
    func takesThatWait() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.kill()
            // Five seconds from now, or slightly more.
            let start = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 5).rounded(.up))
            let time = start.formatted(Date.ISO8601FormatStyle())
            let schedule = ["--start-at", time, "--every", "2", "--for", "0.5"]
            let options = ["-o", "take-{n}.wav", "-r", "48000", "--events", "events.jsonl"] + schedule
            let events = EventsFile(on: server)
            let result = try await server.record(options) { accrec in
                try await accrec.waitForStandardError(containing: "accrec: recording begins at ")
                try await server.restart()
                try await server.loadNullSink("room")
                try await events.wait(for: "finished", count: 2, accrec)
                accrec.signal(SIGTERM)
            }
            #expect(result.standardError.contains("accrec: ended before the next recording began\n"))
            let names = try server.fileNames().filter { $0.hasSuffix(".wav") }
            #expect(names.count == 2)
            for name in names { #expect(try server.wav(name).frames == 24_000) }
            let captured = try events.lines("started").compactMap(\.captured)
            #expect(captured.count == 2)
            for (captured, due) in zip(captured, [start, start + 2]) {
                #expect(captured.timeIntervalSince(due) > -0.002, "\(captured), not \(due)")
            }
        }
    }

    @Test("A recording ends at its time by the clock, and so does one that still waits for its beginning")
    func endsByTheClock() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let end = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 3).rounded(.up))
            let options = ["--until", end.formatted(Date.ISO8601FormatStyle())]
            let events = EventsFile(on: server)
            let armed = ["-o", "none.wav", "--pre-roll", "1"] + options
            async let waiting = server.record(armed, status: 1) { _ in }
            let result = try await server.record(["-o", "take.wav", "--events", "events.jsonl"] + options) { _ in }
            #expect(result.standardError.contains("; 'accrec ctl stop' stops, or 20"))
            let begin = try #require(try events.lines("started").first?.captured)
            let take = try server.wav("take.wav")
            let length = Double(take.frames) / Double(take.rate)
            // The latency that a server states is inexact, a busy one loses audio, and the end waits for what was captured.
            let late = begin.addingTimeInterval(length).timeIntervalSince(end)
            #expect((-0.5...10).contains(late), "\(late) s")
            #expect(try await waiting.standardError.hasSuffix("accrec: ended before the recording began\n"))
            #expect(!(try server.fileNames().contains("none.wav")))
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
