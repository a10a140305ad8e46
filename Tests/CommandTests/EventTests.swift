import Foundation
import TestSupport
import Testing

/// The events of a take, validated against the schema.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct EventTests {
    /// The lines of an events file, validated against the schema.
    private func events(in file: URL) async throws -> [[String: Any]] {
        try await JSONSchema.expect(file, toFit: "events-1")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    private func names(_ events: [[String: Any]]) -> [String] { events.compactMap { $0["event"] as? String } }

    /// Waits for the given number of events of that name.
    private func wait(for name: String, count: Int = 1, in file: URL, _ accrec: ChildProcess) async throws {
        try await eventually("\(count) \(name): \(accrec.standardError)", within: 15) {
            let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
            return text.components(separatedBy: "\"event\":\"\(name)\"").count > count
        }
    }

    @Test(
        "All events from opening to report arrive in order with their frames",
        arguments: ServerKind.allCases)
    func reportsAllEvents(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let loud = Signal.int16(Signal.sine(frequency: 440, peak: 0, rate: 48_000, channels: 2, frames: 48_000))
            try await Player.with(Signal.data(loud), into: "room", on: server) { _ in
                let log = server.directory.appending(path: "events.jsonl")
                let report = server.directory.appending(path: "report.json")
                let take = ["record", "-o", "take.wav", "-d", "room.monitor", "-r", "native", "-c", "native"]
                let options = ["--events", log.path, "--level-interval", "0.5", "--report", report.path]
                let result = try await AccrecProcess.with(take + options, on: server, in: server.directory) { accrec in
                    try await wait(for: "level", in: log, accrec)
                    accrec.signal(SIGUSR2)
                    try await wait(for: "paused", in: log, accrec)
                    accrec.signal(SIGUSR2)
                    try await wait(for: "resumed", in: log, accrec)
                    try await wait(for: "level", count: 2, in: log, accrec)
                    accrec.signal(SIGUSR1)
                    try await wait(for: "file_opened", count: 2, in: log, accrec)
                    try await wait(for: "level", count: 3, in: log, accrec)
                    accrec.signal(SIGINT)
                    return try await accrec.wait()
                }
                #expect(result.end == .exit(0), "\(result.standardError)")

                let events = try await events(in: log)
                let course = names(events).filter { !["level", "clipped", "warning"].contains($0) }
                #expect(
                    course == [
                        "opened", "file_opened", "started", "paused", "resumed", "file_closed", "file_opened",
                        "file_closed", "finished",
                    ])
                #expect(names(events).contains("clipped"))
                let closed = events.filter { $0["event"] as? String == "file_closed" }
                let last = try #require(events.last?["report"] as? [String: Any])
                #expect(closed[1]["first_frame"] as? Int == closed[0]["frames"] as? Int)
                let frames = closed.compactMap { $0["frames"] as? Int }.reduce(0, +)
                #expect(frames == last["frames"] as? Int && frames == events.last?["frame"] as? Int)
                #expect(last["exit_status"] as? Int == 0 && last["ending"] as? String == "finished")
                for name in ["take.wav", "take-002.wav"] {
                    let file = try PCMFile(wav: server.directory.appending(path: name))
                    let event = closed.first { $0["path"] as? String == name }
                    #expect(event?["frames"] as? Int == file.frames)
                }
                // The wall clock of the first frame is consistent with that of the other events.
                let times = try events.map { try date(#require($0["time"] as? String)) }
                #expect(times == times.sorted())
                let started = try #require(events.first { $0["event"] as? String == "started" })
                #expect(
                    try date(#require(started["captured_at"] as? String)) <= date(#require(started["time"] as? String)))

                try await JSONSchema.expect(report, toFit: "events-1", definition: "report")
                let written = try JSONSerialization.jsonObject(with: Data(contentsOf: report)) as? NSDictionary
                #expect(written == last as NSDictionary)
            }
        }
    }

    private func date(_ text: String) throws -> Date {
        try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    @Test("Loss and return of a device are reported to a descriptor, which is left unchanged")
    func reportsADevice() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            let module = try await server.loadNullSink("room")
            let log = server.directory.appending(path: "events")
            let shell =
                "exec \(try AccrecProcess.executable()) record -o take.wav -d room.monitor --fill-gaps --events fd:3 3>events"
            let result = try await ChildProcess.with(
                ["bash", "-c", shell], environment: server.environment, in: server.directory
            ) { accrec in
                try await wait(for: "started", in: log, accrec)
                try await server.unloadModule(module)
                try await wait(for: "device_lost", in: log, accrec)
                try await server.loadNullSink("room")
                try await wait(for: "resumed", in: log, accrec)
                try await wait(for: "gap", in: log, accrec)
                accrec.signal(SIGTERM)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let events = try await events(in: log)
            let gap = try #require(events.first { $0["event"] as? String == "gap" })
            #expect(gap["reason"] as? String == "device_lost" && gap["is_filled"] as? Bool == true)
            let report = try #require(events.last?["report"] as? [String: Any])
            #expect(report["frames_lost"] as? Int == gap["frames_lost"] as? Int)
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
