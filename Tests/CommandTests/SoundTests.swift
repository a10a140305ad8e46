import Foundation
import TestSupport
import Testing

/// Takes that follow the sound of their source.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SoundTests {
    private static let rate = 48_000
    /// Five seconds with two sounds, played again and again: noise, so that no two places are alike.
    private static let scene: [Int16] = {
        var random = SplitMix64(seed: 27)
        let sounds = [rate * 3 / 2..<rate * 2, rate * 7 / 2..<rate * 15 / 4]
        return (0..<5 * rate).flatMap { frame in
            let isSound = sounds.contains { $0.contains(frame) }
            return (0..<2).map { _ in isSound ? Int16(truncatingIfNeeded: Int(random.next() >> 50)) - 8_192 : 0 }
        }
    }()

    private struct Report: Decodable {
        struct Gap: Decodable {
            let frame: Int
            let frames_lost: Int
            let reason: String
        }
        struct Output: Decodable {
            let path: String
            let frames: Int
        }
        let ending: String
        let frames: Int
        let frames_lost: Int
        let gaps: [Gap]
        let outputs: [Output]
    }

    private func withScene(_ kind: ServerKind, _ body: (PrivateServer) async throws -> Void) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await Player.with(Signal.data(Self.scene), into: "room", on: server) { _ in try await body(server) }
        }
    }

    @Test(
        "Sounds and the pauses between them are the take beside them, bit for bit: in a file each, or in one",
        arguments: ServerKind.allCases, ["split", "join"])
    func soundsAddUp(kind: ServerKind, action: String) async throws {
        try await withScene(kind) { server in
            let (whole, sounds) = (Take(on: server, "whole.wav"), Take(on: server, "sounds.wav"))
            var summary = ""
            let reportFile = server.directory.appending(path: "report.json")
            let options = [
                "--start-on-sound", "-40", "--on-sound", action, "--sound-hold", "0.3", "--pre-roll", "0.2", "--bwf",
                "--report", reportFile.path, "--events", server.directory.appending(path: "events.jsonl").path,
            ]
            try await AccrecProcess.with(whole.record(from: "room.monitor"), on: server) { beside in
                try await whole.wait(for: 0.3, beside)
                let record = sounds.record(from: "room.monitor", with: options)
                try await AccrecProcess.with(record, on: server) { accrec in
                    try await eventually("four sounds: \(accrec.standardError)", within: 40) {
                        let events = try? String(
                            contentsOf: server.directory.appending(path: "events.jsonl"), encoding: .utf8)
                        return events.map { $0.components(separatedBy: #""event":"sound_ended""#).count > 4 } ?? false
                    }
                    accrec.signal(SIGINT)
                    let result = try await accrec.wait()
                    #expect(result.end == .exit(0), "\(result.standardError)")
                    #expect(result.standardError.contains("lost      0 frames"), "\(result.standardError)")
                    summary = result.standardError
                }
                #expect(try await whole.finish(beside, after: 0.5).end == .exit(0))
            }
            let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: reportFile))
            #expect(report.ending == "finished" && report.frames_lost == 0)
            #expect(report.gaps.allSatisfy { $0.reason == "silence" })
            #expect(summary.contains("of silence, in \(report.gaps.count) pauses"), "\(summary)")
            // The last gap may be at the end.
            let begins = [0] + report.gaps.map(\.frame).filter { $0 + 10_080 <= report.frames }
            #expect(begins.count >= 4 && report.outputs.count == (action == "split" ? begins.count : 1))
            let all = try report.outputs.flatMap { try PCMFile(wav: URL(filePath: $0.path)).int16 }
            #expect(all.count == 2 * report.frames)
            try expect(all, report.gaps, in: try PCMFile(wav: whole.url).int16)

            // Each passage begins its pre-roll before its sound, of which no window is missing.
            let markers = try report.outputs.map { output in
                try WAVMarker.all(in: URL(filePath: output.path)).filter { $0.label == "sound" }.map(\.frame)
            }
            let expected = action == "split" ? begins.map { _ in [9_600] } : [begins.map { $0 + 9_600 }]
            #expect(markers == expected)
            for begin in begins {
                let preRoll = all[2 * begin..<2 * (begin + 9_600)].map { Double($0) / 32_768 }
                #expect(preRoll.dropLast(960).allSatisfy { $0 == 0 })
                // The sound may begin in the last window, too late for the window to reach -40 dBFS.
                #expect(preRoll.suffix(960).reduce(0) { $0 + $1 * $1 } / 960 < 1e-4)
                #expect(all[2 * (begin + 9_600)..<2 * (begin + 10_080)].contains { $0 != 0 })
            }
        }
    }

    /// Expects passages in a take of the same source, this far apart.
    private func expect(_ passages: [Int16], _ gaps: [Report.Gap], in whole: [Int16]) throws {
        let mark = 9_600 + 480
        let begin = try #require(
            stride(from: 0, to: whole.count - passages.count, by: 2).first { start in
                whole[start + 2 * mark] == passages[2 * mark]
                    && whole[start + 2 * mark..<start + 2 * mark + 200]
                        == passages[2 * mark..<2 * mark + 200]
            })
        var place = begin
        var first = 0
        for gap in gaps {
            let count = 2 * gap.frame - first
            #expect(whole[place..<place + count] == passages[first..<first + count], "before frame \(gap.frame)")
            place += count + 2 * gap.frames_lost
            first += count
        }
        #expect(first == passages.count)
    }

    @Test(
        "A take that a sound starts ends exactly its time of silence after the last sound",
        arguments: ServerKind.allCases)
    func silenceEndsTakes(kind: ServerKind) async throws {
        try await withScene(kind) { server in
            let take = Take(on: server)
            let options = ["--start-on-sound", "-40", "--stop-on-silence", "0.75"]
            try await AccrecProcess.with(take.record(from: "room.monitor", with: options), on: server) { accrec in
                let result = try await accrec.wait(within: 40)
                #expect(result.end == .exit(0), "\(result.standardError)")
                let samples = try PCMFile(wav: take.url).int16
                let last = try #require(samples.lastIndex { $0 != 0 }) / 2
                // The last window that sounds is recorded as a whole.
                let silence = samples.count / 2 - last - 1 - 36_000
                #expect((0..<480).contains(silence))
                #expect(try WAVMarker.all(in: take.url) == [WAVMarker(frame: 24_000, label: "sound")])
            }
        }
    }

    @Test(
        "'ctl save' writes what was heard last, armed and while it records, and changes nothing of the take",
        .tags(.undisturbed))
    func savesWhatWasHeard() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let take = Take(on: server)
            /// Nil if that is refused.
            func trySaving(_ name: String? = nil) async throws -> (take: Take?, messages: String) {
                let arguments = ["ctl", "save"] + (name.map { [$0] } ?? [])
                let result = try await AccrecProcess.run(arguments, on: server, in: server.directory)
                let path = result.text.firstMatch(of: #/in '(.+)'\n/#)?.1
                let take = path.map { Take(on: server, URL(filePath: String($0)).lastPathComponent) }
                return (result.end == .exit(0) ? take : nil, result.standardError)
            }
            func save(_ name: String? = nil) async throws -> Take {
                let (take, messages) = try await trySaving(name)
                return try #require(take, "\(messages)")
            }
            try await AccrecProcess.with(take.record(with: ["--pre-roll", "1"]), on: server) { accrec in
                var armed: Take?
                try await eventually("a second that is kept") {
                    armed = try await trySaving().take
                    return try armed.map { try $0.counter().numbers.count == 48_000 } ?? false
                }
                let whole = try #require(armed)
                #expect(try whole.breaksInSound().isEmpty)
                #expect(!FileManager.default.fileExists(atPath: take.url.path))
                let refused = try await AccrecProcess.run(["ctl", "save", take.url.path], on: server)
                #expect(refused.end == .exit(1) && refused.standardError.contains("the recording itself writes"))

                #expect(try await AccrecProcess.run(["ctl", "start"], on: server).end == .exit(0))
                try await take.wait(for: 2, accrec)
                let saved = try await save("just now.flac")
                #expect(FileManager.default.fileExists(atPath: saved.url.path))
                let second = try await save()
                let result = try await take.finish(accrec, after: 0.5)
                #expect(result.end == .exit(0))
                #expect(try take.breaksInSound().isEmpty, "\(result.standardError)")
                let (all, part) = (try take.counter().numbers, try second.counter().numbers)
                #expect(part.count == 48_000)
                let sound = try #require(part.first { $0 != 0 })
                let first = try #require(all.firstIndex(of: sound))
                #expect(Array(all[first...].prefix(1_000)) == Array(part.drop { $0 == 0 }.prefix(1_000)))
            }
            try await AccrecProcess.with(Take(on: server, "other.wav").record(), on: server) { accrec in
                try await Take(on: server, "other.wav").wait(for: 0.3, accrec)
                let refused = try await AccrecProcess.run(["ctl", "save"], on: server)
                #expect(refused.end == .exit(1))
                #expect(refused.standardError.contains("no audio is kept; --pre-roll keeps some"))
            }
        }
    }

    // 3 MB a second are more than a busy machine can be sure to play.
    @Test("'ctl save' without enough memory for a copy says so, and the take goes on untouched", .tags(.undisturbed))
    func noMemoryToSave() async throws {
        // 3 MB a second, so that a copy of ten seconds needs more than what other threads and buffers are left below.
        let format = PCMFormat(rate: 192_000, channels: 8)
        let counter = Signal.counter(from: 1, frames: 20 * format.rate, channels: 2)
        var samples = [Int16](repeating: 0, count: 4 * counter.count)
        for index in counter.indices { samples[index / 2 * format.channels + index % 2] = counter[index] }
        let data = Signal.data(samples)
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room", format)
            try await Player.with(data, format, into: "room", on: server) { _ in
                let take = Take(on: server)
                let arguments = take.record(
                    from: "room.monitor", rate: "native", with: ["--select", "1,2", "--pre-roll", "10s"])
                // With one heap for all threads, none has room that is not counted.
                let heap = ["MALLOC_ARENA_MAX": "1"]
                let result = try await AccrecProcess.with(arguments, on: server, environment: heap) { accrec in
                    try await eventually("an armed take: \(accrec.standardError)") {
                        try await AccrecProcess.run(["ctl", "start"], on: server).end == .exit(0)
                    }
                    // As many bytes as in 10 s.
                    try await take.wait(forAnother: 4 * 10, accrec)
                    let status = try String(contentsOfFile: "/proc/\(accrec.processID)/status", encoding: .utf8)
                    let size = try #require(status.firstMatch(of: /VmSize:\s+(\d+) kB/).flatMap { Int($0.1) })
                    func limit(to limit: String) async throws {
                        let command = ["prlimit", "--pid", "\(accrec.processID)", "--as=\(limit):"]
                        #expect(try await ChildProcess.run(command).end == .exit(0))
                    }
                    try await limit(to: "\((size + 20_480) << 10)")
                    let saved = server.directory.appending(path: "saved.wav")
                    let refused = try await AccrecProcess.run(["ctl", "save", saved.path], on: server)
                    #expect(refused.end == .exit(1))
                    #expect(
                        refused.standardError == """
                            accrec: cannot save: cannot copy what was captured last: Cannot allocate memory. \
                            End other programs, or raise the limits (ulimit).

                            """)
                    #expect(!FileManager.default.fileExists(atPath: saved.path))
                    try await take.wait(forAnother: 4, accrec)
                    try await limit(to: "unlimited")
                    #expect(try await AccrecProcess.run(["ctl", "save", saved.path], on: server).end == .exit(0))
                    #expect(try PCMFile(wav: saved).frames == 10 * format.rate)
                    return try await take.finish(accrec, after: 1)
                }
                #expect(
                    result.end == .exit(0) && result.standardError.contains("lost      0 frames"),
                    "\(result.standardError)")
                #expect(try take.breaksInSound().isEmpty)
            }
        }
    }

    @Test(
        "Mistakes in the options for sound are refused, with what to do",
        arguments: [
            (["--on-sound", "join"], "--on-sound needs --start-on-sound"),
            (["--stop-on-silence", "5s"], "--stop-on-silence needs --silence-level"),
            (["--silence-level", "-50"], "need --start-on-sound or --stop-on-silence"),
            (
                ["--start-on-sound", "-40", "--silence-level", "-30"],
                "--silence-level must not be above --start-on-sound"
            ),
            (["--start-on-sound", "-40", "--start-in", "5s"], "--start-on-sound excludes --start-at"),
            (["--start-on-sound", "quiet"], "give decibels, such as -40"),
            (["--start-on-sound", "-40", "--sound-hold", "1"], "--sound-hold needs --on-sound"),
        ])
    func mistakes(arguments: [String], message: String) async throws {
        let result = try await AccrecProcess.run(["record", "-o", "take.wav"] + arguments, on: nil)
        #expect(result.end == .exit(64) && result.standardError.contains(message), "\(result.standardError)")
    }
}
