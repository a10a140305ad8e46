import Foundation
import TestSupport
import Testing

/// The events of a recording, validated against the schema.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EventTests {
    @Test(
        "All events from opening to report arrive in order with their frames",
        arguments: ServerKind.allCases)
    func reportsAllEvents(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .tone(440, peak: 0)) { server in
            let log = EventsFile(on: server)
            let options = ["--events", "events.jsonl", "--level-interval", "0.5", "--report", "report.json"]
            try await server.record(["-o", "take.wav", "-r", "native", "-c", "native"] + options) { accrec in
                try await log.wait(for: "level", accrec)
                accrec.signal(SIGUSR2)
                try await log.wait(for: "paused", accrec)
                accrec.signal(SIGUSR2)
                try await log.wait(for: "resumed", accrec)
                try await log.wait(for: "level", count: 2, accrec)
                accrec.signal(SIGUSR1)
                try await log.wait(for: "file_opened", count: 2, accrec)
                try await log.wait(for: "level", count: 3, accrec)
                accrec.signal(SIGINT)
            }

            try await log.expectValid()
            let events = try log.lines()
            let course = events.map(\.name).filter { !["level", "clipped", "warning"].contains($0) }
            #expect(
                course == [
                    "opened", "file_opened", "started", "paused", "resumed", "file_closed", "file_opened",
                    "file_closed", "finished",
                ])
            #expect(events.contains { $0.name == "clipped" })
            #expect(try #require(events.last { $0.loudness != nil }?.loudness).truePeak > -0.1)
            let closed = events.compactMap(\.file)
            let last = try #require(events.last?.report)
            #expect(closed[1].firstFrame == closed[0].frameCount)
            let frames = closed.map(\.frameCount).reduce(0, +)
            #expect(frames == last.recording.frameCount && frames == events.last?.frame)
            #expect(last.exitStatus == 0 && last.recording.ending == .finished)
            for name in ["take.wav", "take-002.wav"] {
                #expect(try closed.first { $0.path == name }?.frameCount == server.wav(name).frames)
            }
            // The wall clock of the first frame is consistent with that of the other events.
            let times = events.map(\.time)
            #expect(times == times.sorted())
            let started = try #require(events.first { $0.name == "started" })
            #expect(try #require(started.captured) <= started.time)

            let report = server.file("report.json")
            try await JSONSchema.expect(report, toFit: "events-1", definition: "report")
            // With all their keys.
            let lastLine = try #require(try server.text("events.jsonl").split(separator: "\n").last)
            let written = try JSONSerialization.jsonObject(with: Data(contentsOf: report)) as? NSDictionary
            let event = try JSONSerialization.jsonObject(with: Data(lastLine.utf8)) as? NSDictionary
            #expect(written == event?["report"] as? NSDictionary && written != nil)
        }
    }

    /// A level is of all frames since the one before it, also where several fit into a buffer.
    @Test(arguments: ServerKind.allCases)
    func levelsComeAtTheirInterval(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .tone(440, peak: -6)) { server in
            let log = EventsFile(on: server)
            let options = ["--max", "1", "-r", "48000", "--events", "events.jsonl", "--level-interval", "10ms"]
            try await server.record(["-o", "take.wav"] + options) { _ in }
            try await log.expectValid()
            let events = try log.lines()
            #expect(events.filter { $0.name == "level" }.map(\.frame) == (1...100).map { 480 * $0 })
            #expect(events.last?.name == "finished")
        }
    }

    @Test("Loss and return of a device are reported to a descriptor, which is left unchanged")
    func reportsADevice() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            let module = try await server.loadNullSink("room")
            let log = EventsFile(on: server)
            let line = "exec $accrec record -o take.wav -d room.monitor --fill-gaps --events fd:3 3>events.jsonl"
            let result = try await server.shell(line) { accrec in
                try await log.wait(for: "started", accrec)
                try await server.unloadModule(module)
                try await log.wait(for: "device_lost", accrec)
                try await server.loadNullSink("room")
                try await log.wait(for: "resumed", accrec)
                try await log.wait(for: "gap", accrec)
                accrec.signal(SIGTERM)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            try await log.expectValid()
            let gap = try #require(try log.lines("gap").first?.gap)
            #expect(gap.cause == .interruption(.deviceLost) && gap.isFilled)
            #expect(try log.lines().last?.report?.recording.framesLost == gap.framesLost)
        }
    }

    @Test(
        "An events destination that is not writable is rejected before recording",
        arguments: [
            ["--events", "/nosuch/events"], ["--events", "fd:99"], ["--events", "fd:x"],
            ["--report", "/nosuch/report"],
            ["--level-interval", "1"],
        ])
    func refusesWhatCannotBeWritten(options: [String]) async throws {
        try await TemporaryDirectory.with { directory in
            let result = try await AccrecProcess.run(["record", "-o", "take.wav"] + options, on: nil, in: directory)
            #expect(result.end != .exit(0))
            #expect(result.standardError.hasPrefix("accrec: "))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }
}
