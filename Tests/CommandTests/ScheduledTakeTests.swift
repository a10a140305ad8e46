import Foundation
import TestSupport
import Testing

/// Takes that begin at a set time.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ScheduledTakeTests {
    private static let take = ["record", "-d", "room.monitor", "-r", "48000", "--events", "events.jsonl"]

    /// The events of that name so far.
    private func events(_ name: String, in directory: URL) throws -> [[String: Any]] {
        let file = directory.appending(path: "events.jsonl")
        let lines = ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n")
        return lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
            .filter { $0["event"] as? String == name }
    }

    @Test("Takes repeat at their interval, each exactly as long as requested, until a signal")
    func repeatedTakes() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let options = ["-o", "log-{n}.wav", "--every", "2", "--for", "0.5"]
            let result = try await AccrecProcess.with(Self.take + options, on: server, in: server.directory) { accrec in
                try await eventually("three takes: \(accrec.standardError)", within: 20) {
                    try events("finished", in: server.directory).count == 3
                }
                accrec.signal(SIGTERM)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("accrec: ended before the next recording began\n"))
            let names = try FileManager.default.contentsOfDirectory(atPath: server.directory.path)
                .filter { $0.hasSuffix(".wav") }
            #expect(names.count == 3)
            for name in names { #expect(try PCMFile(wav: server.directory.appending(path: name)).frames == 24_000) }
        }
    }

    @Test("Takes continue after the clock is set back by an hour")
    func clockThatIsSetBack() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let clocks = try await ShiftedClocks(in: server.directory)
            let command = Self.take + ["-o", "log-{n}.wav", "--every", "2", "--for", "0.5"]
            let result = try await AccrecProcess.with(
                command, on: server, environment: clocks.variables, in: server.directory
            ) { accrec in
                func takes(_ count: Int) async throws {
                    try await eventually("\(count) takes: \(accrec.standardError)", within: 20) {
                        try events("finished", in: server.directory).count == count
                    }
                }
                try await takes(1)
                try clocks.shift(.wall, by: -3_600)
                try await takes(3)
                accrec.signal(SIGTERM)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(!result.standardError.contains("left out"))
        }
    }

    @Test("A take begins at its time, and not before")
    func takesThatWait() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            // Three seconds from now, or slightly more.
            let start = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 3).rounded(.up))
            let time = start.formatted(Date.ISO8601FormatStyle())
            let options = ["-o", "take.wav", "--start-at", time, "--for", "0.5"]
            let result = try await AccrecProcess.run(Self.take + options, on: server, in: server.directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("accrec: recording begins at "))
            #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 24_000)
            let started = try #require(try events("started", in: server.directory).first?["captured_at"] as? String)
            let captured = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(started)
            #expect(captured.timeIntervalSince(start) > -0.002, "\(started), not \(time)")
        }
    }

    @Test("A take is recorded if its server starts only during the wait", arguments: ServerKind.allCases)
    func lateServer(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.kill()
            let options = ["-o", "take.wav", "--start-in", "8", "--for", "0.5"]
            let result = try await AccrecProcess.with(Self.take + options, on: server, in: server.directory) { accrec in
                try await accrec.waitForStandardError(containing: "accrec: recording begins at ")
                try await server.restart()
                try await server.loadNullSink("room")
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 24_000)
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
