import Foundation
import TestSupport
import Testing

/// Batches: continuing after a kill, failures, interruptions, and their results files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BatchTests {
    /// The tested fields of a line in the results file.
    private struct Line: Decodable {
        struct Report: Decodable {
            let frames: Int
        }

        let number: Int
        let outputs: [String]
        let status: String
        let attempts: Int
        let message: String?
        let report: Report?
    }

    /// The lines of a results file, validated against the schema.
    private func results(_ name: String = "m.results.jsonl", in directory: URL) async throws -> [Line] {
        let file = directory.appending(path: name)
        try await JSONSchema.expect(file, toFit: "batch-1")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    /// Runs a body with a source that counts, and options that record it in its native format.
    private func withCounter(_ body: (PrivateServer, [String]) async throws -> Void) async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await PipeSourceFeeder.with("counter", on: server) { first, count in
                Signal.data(Signal.counter(from: UInt32(first), frames: count, channels: 2))
            } _: { _ in
                try await body(server, ["-d", "counter", "-r", "native", "-c", "native"])
            }
        }
    }

    @Test("A batch that was killed at random moments and continued has each take and each result exactly once")
    func continuesWhatWasKilled() async throws {
        try await withCounter { server, options in
            let directory = server.directory
            let names = (1...24).map { "t\($0).wav" }
            let rows = names.map { "\($0),0.2\n" }.joined()
            try Data("output,duration\n\(rows)".utf8).write(to: directory.appending(path: "m.csv"))
            let batch = ["batch", "m.csv", "--jobs", "4", "--continue"] + options
            var generator = SplitMix64(seed: 24)
            var killCount = 0
            let file = directory.appending(path: "m.results.jsonl")
            for _ in 1...3 {
                let seen = (try? Data(contentsOf: file).count) ?? 0
                let moment = Int.random(in: 1...3, using: &generator)
                try await AccrecProcess.with(batch, on: server, in: directory) { accrec in
                    // Kill it after this many results, in the middle of other takes.
                    try await eventually("\(moment) results: \(accrec.standardError)", within: 30) {
                        let text = ((try? Data(contentsOf: file)) ?? Data()).dropFirst(seen)
                        return text.count { $0 == UInt8(ascii: "\n") } >= moment || !accrec.isRunning
                    }
                    if accrec.isRunning { killCount += 1 }
                    accrec.signal(SIGKILL)
                    _ = try await accrec.wait()
                }
            }
            #expect(killCount == 3)
            // As if the last one had been killed during a write.
            try Data(contentsOf: file).dropLast(20).write(to: file)
            let last = try await AccrecProcess.run(batch, on: server, in: directory)
            #expect(last.end == .exit(0), "\(last.standardError)")

            let lines = try await results(in: directory)
            #expect(Set(lines.flatMap(\.outputs)) == Set(names))
            #expect(lines.allSatisfy { ["recorded", "found"].contains($0.status) })
            for name in names {
                #expect(lines.count { $0.outputs == [name] } == 1, "\(name)")
                let take = try PCMFile(wav: directory.appending(path: name))
                #expect(take.frames == 9_600 && take.rate == 48_000 && take.channels == 2)
                #expect(Signal.firstBreak(inCounter: Signal.int16(take.data), channels: 2) == nil, "\(name)")
            }
            let again = try await AccrecProcess.run(batch, on: server, in: directory)
            #expect(again.standardError.contains("24 takes: 24 already complete; "))
            #expect(try await results(in: directory).count == lines.count)
        }
    }

    @Test("Incomplete and deleted files are recorded again")
    func continuesWithWhatIsMissing() async throws {
        try await withCounter { server, options in
            let directory = server.directory
            try Data(
                """
                {"output": "a-{n}.flac", "duration": 0.2, "count": 3, "pause": 0.1, "tags": {"mood": "calm"}}
                {"output": ["b.wav", "b.raw"], "duration": 0.3, "prompt": "Nobody reads this."}
                """.utf8
            ).write(to: directory.appending(path: "m.jsonl"))
            let batch = ["batch", "m.jsonl"] + options
            let first = try await AccrecProcess.run(batch, on: server, in: directory)
            #expect(first.end == .exit(0), "\(first.standardError)")
            let refused = try await AccrecProcess.run(batch + ["--force"], on: server, in: directory)
            #expect(refused.end == .exit(64) && refused.standardError.contains("it already has results"))

            let cut = directory.appending(path: "b.raw")
            try Data(contentsOf: cut).dropLast(4).write(to: cut)
            try FileManager.default.removeItem(at: directory.appending(path: "a-002.flac"))
            let second = try await AccrecProcess.run(batch + ["--continue"], on: server, in: directory)
            #expect(second.end == .exit(0), "\(second.standardError)")
            #expect(second.standardError.contains("4 takes: 2 recorded, 2 already complete; "))
            let lines = try await results(in: directory)
            #expect(lines.map(\.number) == [1, 2, 3, 4, 2, 4])
            #expect(lines.map(\.report?.frames) == [9_600, 9_600, 9_600, 14_400, 9_600, 14_400])
            for name in ["a-001", "a-002", "a-003"] {
                let take = try await PCMFile(flac: directory.appending(path: "\(name).flac"))
                #expect(take.frames == 9_600)
                #expect(Signal.firstBreak(inCounter: Signal.int16(take.data), channels: 2) == nil)
            }
            let wav = try PCMFile(wav: directory.appending(path: "b.wav"))
            #expect(try wav.frames == 14_400 && wav.data == Data(contentsOf: cut))
        }
    }

    @Test("A failed take is retried, and ends the batch only if requested")
    func failsAndGoesOn() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let rows = ["a.wav,0.2,nosuch", "b.wav,0.2,room.monitor"].joined(separator: "\n")
            try Data("output,duration,device\n\(rows)\n".utf8).write(to: server.directory.appending(path: "m.csv"))
            let result = try await AccrecProcess.run(
                ["batch", "m.csv", "--retries", "1"], on: server, in: server.directory)
            #expect(result.end == .exit(1))
            #expect(result.standardError.contains("2 takes: 1 recorded, 1 FAILED; "))
            let lines = try await results(in: server.directory)
            #expect(lines.map(\.status) == ["failed", "recorded"] && lines.map(\.attempts) == [2, 1])
            #expect(lines[0].message?.contains("'nosuch': no such source") == true && lines[0].report == nil)

            let fast = ["batch", "m.csv", "--fail-fast", "--force", "--results", "fast.jsonl"]
            let failed = try await AccrecProcess.run(fast, on: server, in: server.directory)
            #expect(failed.end == .exit(1))
            #expect(failed.standardError.contains("2 takes: 1 FAILED, 1 not started; "))
            #expect(try await results("fast.jsonl", in: server.directory).map(\.status) == ["failed"])
        }
    }

    @Test("A strict take with clipping has failed, and is recorded again")
    func isStrict() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let loud = Signal.int16(Signal.sine(frequency: 440, peak: 0, rate: 48_000, channels: 2, frames: 48_000))
            try await Player.with(Signal.data(loud), into: "room", on: server) { _ in
                try Data("output,duration\na.wav,0.2\n".utf8).write(to: server.directory.appending(path: "m.csv"))
                let batch = ["batch", "m.csv", "-d", "room.monitor", "-r", "48000", "--continue"]
                for options in [["--strict"], ["--strict"], []] {
                    let result = try await AccrecProcess.run(batch + options, on: server, in: server.directory)
                    #expect(result.end == .exit(options.isEmpty ? 0 : 1), "\(result.standardError)")
                }
                let lines = try await results(in: server.directory)
                #expect(lines.map(\.status) == ["failed", "failed", "found"])
                #expect(lines[1].message?.contains("--strict") == true && lines[1].report?.frames == 9_600)
            }
        }
    }

    @Test("A signal ends the batch, and the running takes keep what they have", arguments: [SIGINT, SIGTERM])
    func isInterrupted(signal: Int32) async throws {
        try await withCounter { server, options in
            let directory = server.directory
            let names = ["a.wav", "b.wav", "c.wav"]
            let rows =
                names.map { "\($0),60,\n" }.joined()
                + "d.wav,1,\(Calendar.current.component(.year, from: .now) + 1)-01-01T00:00\n"
            try Data("output,duration,start\n\(rows)".utf8).write(to: directory.appending(path: "m.csv"))
            let running = [names[0], names[1]].map { directory.appending(path: $0) }
            let result = try await AccrecProcess.with(
                ["batch", "m.csv", "--jobs", "2"] + options, on: server, in: directory
            ) { accrec in
                try await eventually("frames in two files: \(accrec.standardError)", within: 30) {
                    running.allSatisfy { ((try? Data(contentsOf: $0).count) ?? 0) > 20_000 }
                }
                accrec.signal(signal)
                return try await accrec.wait()
            }
            #expect(result.end == .exit(1))
            #expect(result.standardError.contains("4 takes: 2 interrupted, 2 not started; "), "\(result.standardError)")
            let lines = try await results(in: directory).sorted { $0.number < $1.number }
            #expect(lines.map(\.status) == ["interrupted", "interrupted"])
            for (line, file) in zip(lines, running) {
                let take = try PCMFile(wav: file)
                #expect(take.frames == line.report?.frames)
                #expect(Signal.firstBreak(inCounter: Signal.int16(take.data), channels: 2) == nil)
            }
            #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "c.wav").path))
        }
    }

    @Test("A take does not begin before its start time")
    func waitsForItsTime() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let start = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 3).rounded(.up))
            let row = "a.wav,0.2,room.monitor,\(start.formatted(.iso8601))\n"
            try Data("output,duration,device,start\n\(row)".utf8).write(to: server.directory.appending(path: "m.csv"))
            let result = try await AccrecProcess.run(["batch", "m.csv"], on: server, in: server.directory)
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.hasPrefix("accrec: 1/1 a.wav: waiting until 20"))
            let attributes = try FileManager.default.attributesOfItem(
                atPath: server.directory.appending(path: "a.wav").path)
            #expect(try #require(attributes[.modificationDate] as? Date) >= start)
        }
    }

    @Test("With a mistake in the manifest nothing is recorded or created")
    func refusesMistakes() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "m.toml")
            try Data("[[take]]\noutput = \"a.wav\"\nduration = 1\n[[take]]\nrate = 1\n".utf8).write(to: file)
            let result = try await AccrecProcess.run(["batch", "m.toml", "--mkdir"], on: nil, in: directory)
            #expect(result.end == .exit(64))
            #expect(
                result.standardError == """
                    accrec: m.toml:4: 'output' is missing (the file to record to)
                    accrec: m.toml:4: 'duration' is missing (needed without --prompt)
                    accrec: m.toml:5: the value '1' is invalid for 'rate <hertz>': give a whole number from 8000 to \
                    384000, or 'native'
                    accrec: nothing was recorded. Correct the manifest.\n
                    """)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["m.toml"])

            try Data("[[take]]\noutput = \"x/a-{n}.wav\"\nduration = 1\ncount = 2\n".utf8).write(to: file)
            let trial = try await AccrecProcess.run(
                ["batch", "m.toml", "--mkdir", "--dry-run"], on: nil, in: directory)
            // There is no server to look for the source.
            #expect(trial.end == .exit(9), "\(trial.standardError)")
            #expect(trial.standardError.hasPrefix("accrec: 2 takes, 0:02.000 in all\naccrec: m.toml:1: "))
            #expect(trial.text == "1\tx/a-001.wav\t0:01.000\t-\n2\tx/a-002.wav\t0:01.000\t-\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["m.toml"])

            let prompted = try await AccrecProcess.run(
                ["batch", "m.toml", "--mkdir", "--prompt"], on: nil, in: directory)
            #expect(prompted.end == .exit(64) && prompted.standardError.contains("--prompt needs a terminal"))
        }
    }
}
