import Foundation
import TestSupport
import Testing

/// Batches: continuing after a kill, failures, interruptions, and their results files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BatchTests {
    private static let native = ["-d", "counter", "-r", "native", "-c", "native"]

    @Test("A batch that was killed at random moments and continued has each take and each result exactly once")
    func continuesWhatWasKilled() async throws {
        try await PipeSourceFeeder.withCounter(.pulseAudio) { server, _ in
            let names = (1...24).map { "t\($0).wav" }
            let rows = names.map { "\($0),0.2\n" }.joined()
            try server.write("output,duration\n\(rows)", to: "m.csv")
            let batch = ["batch", "m.csv", "--jobs", "4", "--continue"] + Self.native
            var generator = SplitMix64(seed: 24)
            var killCount = 0
            let file = server.file("m.results.jsonl")
            for _ in 1...3 {
                let seen = (try? Data(contentsOf: file).count) ?? 0
                let moment = Int.random(in: 1...3, using: &generator)
                try await server.accrec(batch, status: nil) { accrec in
                    // Kill it after this many results, in the middle of other takes.
                    try await eventually("\(moment) results: \(accrec.standardError)", within: 30) {
                        let text = ((try? Data(contentsOf: file)) ?? Data()).dropFirst(seen)
                        return text.count { $0 == UInt8(ascii: "\n") } >= moment || !accrec.isRunning
                    }
                    if accrec.isRunning { killCount += 1 }
                    accrec.signal(SIGKILL)
                }
            }
            #expect(killCount == 3)
            // As if the last one had been killed during a write.
            try Data(contentsOf: file).dropLast(20).write(to: file)
            try await server.accrec(batch)

            let lines = try await BatchResult.all(on: server)
            #expect(Set(lines.flatMap(\.outputs)) == Set(names))
            #expect(lines.allSatisfy { ["recorded", "found"].contains($0.status) })
            for name in names {
                #expect(lines.count { $0.outputs == [name] } == 1, "\(name)")
                let take = try server.wav(name)
                #expect(take.frames == 9_600 && take.rate == 48_000 && take.channels == 2)
                #expect(Signal.firstBreak(inCounter: Signal.int16(take.data), channels: 2) == nil, "\(name)")
            }
            let again = try await server.accrec(batch)
            #expect(again.standardError.contains("24 takes: 24 already complete; "))
            #expect(try await BatchResult.all(on: server).count == lines.count)
        }
    }

    @Test("A file that comes to a take's name during the batch stays, however often the take may be tried")
    func otherFilesStay() async throws {
        try await PipeSourceFeeder.withCounter(.pulseAudio) { server, _ in
            try server.write("output,duration\none.wav,1\ntwo.wav,0.2\n", to: "m.csv")
            try await server.accrec(["batch", "m.csv", "--retries", "3"] + Self.native, status: 1) { accrec in
                try await eventually("the first take") { server.hasFile("one.wav") || !accrec.isRunning }
                try server.write("not the batch's", to: "two.wav")
            }
            #expect(try server.text("two.wav") == "not the batch's")
            let results = try await BatchResult.all(on: server)
            #expect(results.map(\.status) == ["recorded", "failed"] && results.last?.attempts == 1)
        }
    }

    @Test("Incomplete and deleted files are recorded again")
    func continuesWithWhatIsMissing() async throws {
        try await PipeSourceFeeder.withCounter(.pulseAudio) { server, _ in
            try server.write(
                """
                {"output": "a-{n}.flac", "duration": 0.2, "count": 3, "pause": 0.1, "tags": {"mood": "calm"}}
                {"output": ["b.wav", "b.raw"], "duration": 0.3, "prompt": "Nobody reads this."}
                """, to: "m.jsonl")
            let batch = ["batch", "m.jsonl"] + Self.native
            try await server.accrec(batch)
            let refused = try await server.accrec(batch + ["--force"], status: 64)
            #expect(refused.standardError.contains("it already has results"))

            let cut = server.file("b.raw")
            try Data(contentsOf: cut).dropLast(4).write(to: cut)
            try FileManager.default.removeItem(at: server.file("a-002.flac"))
            let second = try await server.accrec(batch + ["--continue"])
            #expect(second.standardError.contains("4 takes: 2 recorded, 2 already complete; "))
            let lines = try await BatchResult.all(on: server)
            #expect(lines.map(\.number) == [1, 2, 3, 4, 2, 4])
            #expect(lines.map(\.report?.frameCount) == [9_600, 9_600, 9_600, 14_400, 9_600, 14_400])
            for name in ["a-001", "a-002", "a-003"] {
                let take = try await PCMFile(flac: server.file("\(name).flac"))
                #expect(take.frames == 9_600)
                #expect(Signal.firstBreak(inCounter: Signal.int16(take.data), channels: 2) == nil)
            }
            let wav = try server.wav("b.wav")
            #expect(try wav.frames == 14_400 && wav.data == Data(contentsOf: cut))
        }
    }

    @Test("A failed take is retried, and ends the batch only if requested")
    func failsAndGoesOn() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try server.write("output,duration,device\na.wav,0.2,nosuch\nb.wav,0.2,room.monitor\n", to: "m.csv")
            let result = try await server.accrec(["batch", "m.csv", "--retries", "1"], status: 1)
            #expect(result.standardError.contains("2 takes: 1 recorded, 1 FAILED; "))
            let lines = try await BatchResult.all(on: server)
            #expect(lines.map(\.status) == ["failed", "recorded"] && lines.map(\.attempts) == [2, 1])
            #expect(lines[0].message?.contains("'nosuch': no such source") == true && lines[0].report == nil)

            let failed = try await server.accrec(
                ["batch", "m.csv", "--fail-fast", "--force", "--results", "fast.jsonl"], status: 1)
            #expect(failed.standardError.contains("2 takes: 1 FAILED, 1 not started; "))
            #expect(try await BatchResult.all("fast.jsonl", on: server).map(\.status) == ["failed"])
        }
    }

    @Test("A strict take with clipping has failed, and is recorded again")
    func isStrict() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(440, peak: 0)) { server in
            try server.write("output,duration\na.wav,0.2\n", to: "m.csv")
            let batch = ["batch", "m.csv", "-d", "room.monitor", "-r", "48000", "--continue"]
            for (options, status) in [(["--strict"], 1), (["--strict"], 1), ([], 0)] as [([String], Int32)] {
                try await server.accrec(batch + options, status: status)
            }
            let lines = try await BatchResult.all(on: server)
            #expect(lines.map(\.status) == ["failed", "failed", "found"])
            #expect(lines[1].message?.contains("--strict") == true && lines[1].report?.frameCount == 9_600)
        }
    }

    @Test("A take that the check of its files finds faulty has failed, and is tried again")
    func isChecked() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try server.write(
                """
                [defaults]
                check = true
                duration = 1.2
                [[take]]
                output = ["silent.wav", "silent.flac", "silent.raw"]
                [[take]]
                output = "meant.wav"
                check = { ignore = ["dead", "silent"], max-true-peak = -1 }
                [[take]]
                output = "low.wav"
                check = "ignore=dead,silent; min-level=-40"
                [[take]]
                output = "unchecked.wav"
                check = false
                """, to: "m.toml")
            let batch = ["batch", "m.toml", "-d", "room.monitor", "-r", "native", "-c", "native", "-j", "4"]
            let result = try await server.accrec(batch + ["--retries", "1"], status: 1)
            #expect(result.standardError.contains("silent.raw: FAILED: the check found: no sound"))
            #expect(result.standardError.contains("4 takes: 2 recorded, 2 FAILED; "))
            let results = try await BatchResult.all(on: server).sorted { $0.number < $1.number }
            #expect(results.map(\.status) == ["failed", "recorded", "failed", "recorded"])
            #expect(results.map(\.attempts) == [2, 1, 2, 1])
            #expect(results.map { $0.checks?.map(\.findings.count) } == [[1, 1], [0], [2], nil])
            #expect(results[2].message?.contains("level of speech on channel 1") == true)

            // A continued batch tries again what the check has failed.
            let again = try await server.accrec(batch + ["--continue"], status: 1)
            #expect(again.standardError.contains("4 takes: 2 already complete, 2 FAILED; "))
        }
    }

    @Test("A signal ends the batch, and the running takes keep what they have", arguments: [SIGINT, SIGTERM])
    func isInterrupted(signal: Int32) async throws {
        try await PipeSourceFeeder.withCounter(.pulseAudio) { server, _ in
            let rows =
                "a.wav,60,\nb.wav,60,\nc.wav,60,\n"
                + "d.wav,1,\(Calendar.current.component(.year, from: .now) + 1)-01-01T00:00\n"
            try server.write("output,duration,start\n\(rows)", to: "m.csv")
            let running = ["a.wav", "b.wav"]
            let result = try await server.accrec(["batch", "m.csv", "--jobs", "2"] + Self.native, status: 1) { accrec in
                for name in running { try await TestRecording(on: server, name).wait(for: 0.1, accrec) }
                accrec.signal(signal)
            }
            #expect(result.standardError.contains("4 takes: 2 interrupted, 2 not started; "), "\(result.standardError)")
            let lines = try await BatchResult.all(on: server).sorted { $0.number < $1.number }
            #expect(lines.map(\.status) == ["interrupted", "interrupted"])
            for (line, name) in zip(lines, running) {
                let take = try server.wav(name)
                #expect(take.frames == line.report?.frameCount)
                #expect(Signal.firstBreak(inCounter: Signal.int16(take.data), channels: 2) == nil)
            }
            #expect(!server.hasFile("c.wav"))
        }
    }

    @Test("A take does not begin before its start time")
    func waitsForItsTime() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let start = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 + 3).rounded(.up))
            let row = "a.wav,0.2,room.monitor,\(start.formatted(.iso8601))\n"
            try server.write("output,duration,device,start\n\(row)", to: "m.csv")
            let result = try await server.accrec(["batch", "m.csv"])
            #expect(result.standardError.hasPrefix("accrec: 1/1 a.wav: waiting until 20"))
            let attributes = try FileManager.default.attributesOfItem(atPath: server.file("a.wav").path)
            #expect(try #require(attributes[.modificationDate] as? Date) >= start)
        }
    }

    @Test("A batch that is run again, or lacks its directory, is told what works")
    func refusesWhatExists() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try server.write("[[take]]\noutput = \"x/a-{n}.wav\"\nduration = 0.1\ncount = 2\n", to: "m.toml")
            func refusal(_ options: [String] = []) async throws -> String {
                try await server.accrec(["batch", "m.toml"] + options, status: 64).standardError
            }
            let beginning = "accrec: m.toml:1: "
            #expect(
                try await refusal()
                    == "\(beginning)there is no directory 'x'. Use --mkdir to create it, or name another.\n"
                    + "accrec: nothing was recorded.\n")
            let batch = ["batch", "m.toml", "--allow-monitor"]
            try await server.accrec(batch + ["--mkdir"])
            let existing = "\(beginning)'x/a-001.wav' and 1 more exist already\naccrec: nothing was recorded. "
            let again = "--continue records what is missing or incomplete; "
            #expect(
                try await refusal()
                    == "\(existing)\(again)--force with another file for --results records all takes again.\n")
            #expect(try await server.accrec(batch + ["--continue"]).standardError.contains("2 already complete"))
            try await server.accrec(batch + ["--force", "--results", "other.jsonl"])
            try FileManager.default.removeItem(at: server.file("m.results.jsonl"))
            #expect(try await refusal() == "\(existing)\(again)--force records all takes again.\n")
            try await server.accrec(batch + ["--force"])
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
                    accrec: m.toml:4: 'duration' is missing. --max sets it for all rows; with --prompt, a key ends each take
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
