import Foundation
import TestSupport
import Testing

/// Takes that begin at their time.
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

    @Test("Takes follow each other at their interval, each exactly as long as asked for, until a signal")
    func repeatedTakes() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: true)
            let options = ["-o", "log-{n}.wav", "--every", "2", "--for", "0.5"]
            let result = try await AccrecProcess.with(Self.take + options, on: server, in: server.directory) { accrec in
                try await eventually("three takes: \(accrec.standardError)", within: 20) {
                    try events("finished", in: server.directory).count == 3
                }
                accrec.signal(SIGTERM)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("accrec: ended before the next take began.\n"))
            let names = try FileManager.default.contentsOfDirectory(atPath: server.directory.path)
                .filter { $0.hasSuffix(".wav") }
            #expect(names.count == 3)
            for name in names { #expect(try PCMFile(wav: server.directory.appending(path: name)).frames == 24_000) }
        }
    }

    @Test("A take begins when the clock says so, and not before")
    func takesThatWait() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", isPrompt: true)
            // Three seconds from now, or a little more.
            let start = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 3).rounded(.up))
            let time = start.formatted(Date.ISO8601FormatStyle())
            let options = ["-o", "take.wav", "--start-at", time, "--for", "0.5"]
            let result = try await AccrecProcess.run(Self.take + options, on: server, in: server.directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("accrec: a take begins at "))
            #expect(try PCMFile(wav: server.directory.appending(path: "take.wav")).frames == 24_000)
            let started = try #require(try events("started", in: server.directory).first?["captured_at"] as? String)
            let captured = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(started)
            #expect(captured.timeIntervalSince(start) > -0.002, "\(started), not \(time)")
        }
    }

    @Test("A take that is not awaited any more leaves nothing", arguments: [SIGINT, SIGTERM])
    func endedWhileWaiting(signal: Int32) async throws {
        try await TemporaryDirectory.with { directory in
            let command = ["record", "-o", "take.wav", "--start-in", "1h"]
            let result = try await AccrecProcess.with(command, on: nil, in: directory) { accrec in
                try await accrec.waitForStandardError(containing: "Ctrl-C ends the waiting.")
                accrec.signal(signal)
                return try await accrec.wait(within: 10)
            }
            #expect(result.end == .exit(1) && result.standardError.hasSuffix("accrec: ended before the take began.\n"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }
}
