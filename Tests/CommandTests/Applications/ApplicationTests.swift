import Foundation
import TestSupport
import Testing

/// Recordings of what one application plays.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ApplicationTests {
    /// The first number of the counter of another application, which that of the recorded one never reaches.
    private static let foreign = 1 << 30

    /// The arguments to record an application, without conversion except to the file's 16 bits.
    private func record(_ recording: TestRecording, _ application: String, _ more: String...) -> [String] {
        recording.record(from: nil, with: ["--app", application, "--interruption-timeout", "1m"] + more)
    }

    @Test(
        "A-01: of two applications that play into one sink, only the one that was named is recorded, bit for bit, and both are heard",
        arguments: ServerKind.allCases)
    func onlyTheApplication(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await server.pactl("set-default-sink", "room")
            try await Application.with("player", .counter(from: 1), on: server) { player in
                try await Application.with("other", .counter(from: Self.foreign), on: server) { other in
                    try await other.play()
                    try await player.play("Song")
                    let (recording, everything) = (TestRecording(on: server), TestRecording(on: server, "room.wav"))
                    let result = try await AccrecProcess.with(
                        everything.record(from: "room.monitor"), on: server
                    ) { monitoring in
                        try await everything.wait(for: 0.5, monitoring)
                        let result = try await AccrecProcess.with(record(recording, "play"), on: server) { accrec in
                            try await recording.finish(accrec, after: 3)
                        }
                        monitoring.signal(SIGINT)
                        _ = try await monitoring.wait()
                        return result
                    }
                    #expect(result.end == .exit(0), "\(result.standardError)")
                    #expect(try numbers(in: recording).allSatisfy { $0 < Self.foreign })
                    #expect(try recording.breaksInSound() == [], "\(result.standardError)")
                    // The sum of both counters.
                    #expect(try numbers(in: everything).contains { $0 > Self.foreign })
                }
            }
        }
    }

    @Test("A-01: the spectrum of one application is that of its own tones", arguments: ServerKind.allCases)
    func spectrum(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await server.pactl("set-default-sink", "room")
            try await Application.with("player", .tone(1_000), on: server) { player in
                try await Application.with("other", .tone(3_000), on: server) { other in
                    try await other.play()
                    try await player.play()
                    let recording = TestRecording(on: server)
                    let result = try await AccrecProcess.with(record(recording, "player"), on: server) { accrec in
                        try await recording.wait(forAnother: 1, accrec)
                        // A second stream plays twice the frequency.
                        try await player.play("second")
                        return try await recording.finish(accrec, after: 2)
                    }
                    #expect(result.end == .exit(0), "\(result.standardError)")
                    #expect(result.standardError.contains("several streams of the application added"))
                    let samples = try PCMFile(wav: recording.url).int16.map { Float($0) / 32_768 }
                    let channel = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
                    let end = undisturbed(channel.suffix(48_000))
                    #expect(end.count >= 9_600)
                    for frequency in [1_000.0, 2_000] {
                        let peak = Tone(in: end, rate: 48_000, at: frequency).peak
                        #expect(abs(peak + 12.04) < 1, "\(frequency) Hz: \(peak) dBFS")
                    }
                    #expect(Tone(in: channel, rate: 48_000, at: 3_000).peak < -50)
                    // Where only the first stream plays, there is nothing of the second.
                    let start = Array(channel.prefix(24_000))
                    #expect(Tone(in: start, rate: 48_000, at: 2_000).peak < -50)
                }
            }
        }
    }

    /// The longest part of tones of 1 and 2 kHz in which the server skipped nothing, as it does on a busy machine: they
    /// repeat every 48 frames.
    private func undisturbed(_ channel: ArraySlice<Float>) -> [Float] {
        let breaks = channel.indices.dropLast(48).filter { abs(channel[$0 + 48] - channel[$0]) > 0.01 }
        let ends = [channel.startIndex] + breaks + [channel.endIndex - 48]
        let (start, end) = zip(ends, ends.dropFirst()).max { $0.1 - $0.0 < $1.1 - $1.0 } ?? (0, 0)
        return Array(channel[start + 1..<end + 48])
    }

    @Test(
        "A-01: a recording waits for the first sound of its application, and goes through pauses, moves and restarts",
        arguments: ServerKind.allCases)
    func waits(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            for sink in ["room", "hall"] { try await server.loadNullSink(sink) }
            try await server.pactl("set-default-sink", "room")
            let recording = TestRecording(on: server)
            let result = try await AccrecProcess.with(record(recording, "player"), on: server) { accrec in
                try await accrec.waitForStandardError(containing: "waiting for 'player' to play")
                return try await Application.with("player", .counter(from: 1), on: server) { player in
                    let stream = try await player.play("Song")
                    try await accrec.waitForStandardError(containing: "recording from 'player'")
                    try await recording.wait(forAnother: 1, accrec)
                    try await player.pause()
                    try await accrec.waitForStandardError(containing: "interrupted: application paused")
                    try await player.resume()
                    try await accrec.waitForStandardError(containing: ": application paused (")
                    try await server.pactl("move-sink-input", stream, "hall")
                    try await recording.wait(forAnother: 1, accrec)
                    try await player.end()
                    try await accrec.waitForStandardError(containing: "interrupted: application not playing")
                    try await player.play("Another song")
                    try await accrec.waitForStandardError(containing: ": application not playing (")
                    return try await recording.finish(accrec, after: 1)
                }
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let hasMoved = result.standardError.contains(": application moved to another sink (")
            #expect(hasMoved == (kind == .pulseAudio), "\(result.standardError)")
            let numbers = try numbers(in: recording)
            // With the first sound.
            #expect(numbers.first.map { $0 > 0 && $0 < 4_800 } == true)
        }
    }

    @Test("A-01: of several streams one that moves is missing for a while, as reported and marked; the other goes on")
    func onePartIsMissing() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            for sink in ["room", "hall"] { try await server.loadNullSink(sink) }
            try await server.pactl("set-default-sink", "room")
            let recording = TestRecording(on: server)
            let result = try await Application.with("player", .tone(1_000), on: server) { player in
                try await player.play()
                let second = try await player.play("second")
                return try await AccrecProcess.with(
                    record(recording, "player", "--strict", "--report", server.file("report.json").path), on: server
                ) { accrec in
                    try await recording.wait(forAnother: 1, accrec)
                    try await move(second, to: "hall", whileStopping: accrec, on: server)
                    try await accrec.waitForStandardError(containing: "one stream of 'player' is missing for 0.")
                    return try await recording.finish(accrec, after: 1)
                }
            }
            #expect(result.end == .exit(12), "\(result.standardError)")
            #expect(result.standardError.contains(/LOST +\d+ ms of one stream \(/), "\(result.standardError)")
            #expect(!result.standardError.contains("lost      0 frames"), "\(result.standardError)")
            let report = try server.report()
            let reported = report.recording
            #expect(report.exitStatus == 12 && reported.framesLost == 0)
            #expect(reported.outputs.map(\.isBitExact) == [false])
            let (marker, missing) = try expectMissingTone(in: recording)
            let gap = try #require(reported.streamGaps.first)
            #expect(
                reported.streamGaps.count == 1 && gap.position == marker.frame && abs(gap.framesLost - missing) <= 24)
            // A player that is late on a busy machine leaves silence, but hardly just where the other part is missing.
            let channel = try channel(of: recording)
            for part in [marker.frame - missing..<marker.frame, 48_000..<96_000] {
                let frames = stride(from: part.lowerBound, to: part.upperBound, by: 240)
                let sounding = frames.filter { abs(peak(of: 1_000, in: channel, at: $0) + 12) < 3 }
                #expect(sounding.count > Array(frames).count * 3 / 4, "\(sounding) of \(part)")
            }
        }
    }

    @Test(
        "A-01: with --on-sound, the marker of a missing part is where it ends in the file, though the gate held that back"
    )
    func aHeldPartIsMissing() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            for sink in ["room", "hall"] { try await server.loadNullSink(sink) }
            try await server.pactl("set-default-sink", "room")
            let recording = TestRecording(on: server)
            let events = server.directory.appending(path: "events.jsonl")
            // Three tones of -15 dBFS RMS are a sound, two are not.
            let arguments = record(
                recording, "player", "--start-on-sound", "-11", "--silence-level", "-11", "--on-sound", "join",
                "--sound-hold", "0.1s", "--pre-roll", "5s", "--events", events.path)
            let result = try await Application.with("player", .tone(1_000), on: server) { player in
                try await player.play()
                let second = try await player.play("second")
                return try await AccrecProcess.with(arguments, on: server) { accrec in
                    try await player.play("third")
                    try await recording.wait(for: 0.5, accrec)
                    try await player.end()
                    try await eventually("the end of the sound: \(accrec.standardError)") {
                        try String(contentsOf: events, encoding: .utf8).contains(#""event":"sound_ended""#)
                    }
                    try await move(second, to: "hall", whileStopping: accrec, on: server)
                    // A second that is kept.
                    try await SampleClock.with(of: "room.monitor", on: server) { try await $0.wait(for: 1) }
                    try await player.play("third")
                    try await accrec.waitForStandardError(containing: "one stream of 'player' is missing for 0.")
                    return try await recording.finish(accrec, after: 1)
                }
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            _ = try expectMissingTone(in: recording)
        }
    }

    /// Moves a stream while the recorder is stopped for the 100 ms in which 100 ms of the stream are played, so that a part
    /// is certainly missing: a recorder that runs misses nothing of one move in fifty.
    private func move(
        _ stream: String, to sink: String, whileStopping accrec: ChildProcess, on server: PrivateServer
    ) async throws {
        try await SampleClock.with(of: "room.monitor", on: server) { clock in
            accrec.signal(SIGSTOP)
            try await server.pactl("move-sink-input", stream, sink)
            try await clock.wait(for: 0.1)
            accrec.signal(SIGCONT)
        }
    }

    /// Expects that the second tone is missing where a marker says so, and nowhere else nearby.
    ///
    /// - Returns: The marker, and the number of missing frames.
    private func expectMissingTone(in recording: TestRecording) throws -> (marker: WAVMarker, frames: Int) {
        let markers = try WAVMarker.all(in: recording.url).filter { $0.label.hasPrefix("one stream") }
        let marker = try #require(markers.first)
        #expect(markers.count == 1, "\(markers)")
        let length = try #require(marker.label.wholeMatch(of: /one stream missing for 0\.(\d{3}) s before/)?.1)
        let missing = try #require(Int(length)) * 48
        let channel = try channel(of: recording)
        // Five milliseconds before the part and after it, neither of which is missing.
        for frame in [marker.frame - missing - Tolerance.place - 480, marker.frame + Tolerance.place] {
            #expect(abs(peak(of: 2_000, in: channel, at: frame) + 12) < 3, "\(marker)")
        }
        #expect(peak(of: 2_000, in: channel, at: marker.frame - missing / 2 - 120) < -30, "\(marker)")
        return (marker, missing)
    }

    private func channel(of recording: TestRecording) throws -> [Float] {
        let samples = try PCMFile(wav: recording.url).int16.map { Float($0) / 32_768 }
        return stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
    }

    /// The level of one of the tones in five milliseconds.
    private func peak(of frequency: Double, in channel: [Float], at frame: Int) -> Double {
        Double(Tone(in: Array(channel[frame..<frame + 240]), rate: 48_000, at: frequency).peak)
    }

    @Test("A-01: with --on-disconnect stop, the recording ends with its application")
    func stops() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let recording = TestRecording(on: server)
            let result = try await Application.with("player", .counter(from: 1), on: server) { player in
                try await player.play()
                let arguments = record(recording, "player", "--on-disconnect", "stop")
                return try await AccrecProcess.with(arguments, on: server) { accrec in
                    try await recording.wait(forAnother: 0.5, accrec)
                    try await player.end()
                    return try await accrec.wait()
                }
            }
            #expect(result.end == .exit(3))
            #expect(result.standardError.contains("recording from 'player' ended early: application not playing."))
            #expect(try recording.breaksInSound().isEmpty)
        }
    }

    @Test(
        "A-01: an application that never plays, one that does not play again, and a misspelt name, in clear words",
        arguments: ServerKind.allCases)
    func neverPlays(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await Application.with("player", .counter(from: 1), on: server) { player in
                try await player.play()
                let never = TestRecording(on: server)
                let arguments = ["record", "-o", never.url.path, "--app", "palyer", "--interruption-timeout", "0.5"]
                let result = try await AccrecProcess.run(arguments, on: server)
                #expect(result.end == .exit(8), "\(result.standardError)")
                #expect(result.standardError.contains("waiting for 'palyer' to play"))
                #expect(result.standardError.contains("'palyer' plays nothing, but 'player' does"))
                #expect(
                    result.standardError.contains(
                        "nothing was recorded: 'palyer' has played nothing. 'accrec devices --apps' lists what plays"))
                #expect(!FileManager.default.fileExists(atPath: never.url.path))

                let recording = TestRecording(on: server, "once.wav")
                let once = ["record", "-o", recording.url.path, "--app", "player", "--interruption-timeout", "0.5"]
                let ended = try await AccrecProcess.with(once, on: server) { accrec in
                    try await eventually("a second: \(accrec.standardError)", within: 20) { recording.seconds > 0.2 }
                    try await player.pause()
                    return try await accrec.wait()
                }
                #expect(ended.end == .exit(3), "\(ended.standardError)")
                #expect(ended.standardError.contains("ended early: application paused."))
            }
        }
    }

    @Test(
        "A-01: two processes that match are listed; their process ID or title chooses", arguments: ServerKind.allCases)
    func ambiguous(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await Application.with("player", .counter(from: 1), on: server) { one in
                try await Application.with("player", .counter(from: Self.foreign), on: server) { other in
                    try await one.play("Interview")
                    try await other.play("News")
                    let recording = TestRecording(on: server)
                    let refused = try await AccrecProcess.run(record(recording, "player"), on: server)
                    #expect(refused.end == .exit(8))
                    #expect(
                        refused.standardError.contains(
                            "cannot record the application 'player': it matches 2 applications"))
                    #expect(
                        refused.standardError.contains("\n        player, 'Interview' (\(one.processID))\n"))
                    for (name, isOne) in [("player:interview", true), ("\(other.processID)", false), ("news", false)] {
                        let recording = TestRecording(on: server, "\(name.replacing(":", with: "-")).wav")
                        let result = try await AccrecProcess.with(record(recording, name), on: server) { accrec in
                            try await recording.finish(accrec, after: 0.3)
                        }
                        #expect(result.end == .exit(0), "\(result.standardError)")
                        let numbers = try numbers(in: recording).filter { $0 > 0 }
                        #expect(!numbers.isEmpty && numbers.allSatisfy { ($0 < Self.foreign) == isOne }, "\(name)")
                    }
                }
            }
        }
    }

    @Test("A-01: a call of the application that is recorded does not pause the recording, another one does")
    func calls() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            try await Application.with("phone", .counter(from: 1), role: "phone", on: server) { phone in
                let recording = TestRecording(on: server)
                let result = try await AccrecProcess.with(record(recording, "phone"), on: server) { accrec in
                    try await accrec.waitForStandardError(containing: "waiting for 'phone' to play")
                    try await phone.play("Anna")
                    try await recording.wait(forAnother: 1, accrec)
                    #expect(!accrec.standardError.contains("call"))
                    try await Application.with("another", .tone(500), role: "phone", on: server) { another in
                        try await another.play("Berta")
                        try await accrec.waitForStandardError(containing: "interrupted: call in another program")
                    }
                    try await accrec.waitForStandardError(containing: ": call in another program (")
                    return try await recording.finish(accrec, after: 0.5)
                }
                #expect(result.end == .exit(0), "\(result.standardError)")
            }
        }
    }

    @Test("A-01: options without sense for an application are refused")
    func refusals() async throws {
        for option in [
            ["--follow-default"], ["--capture-api", "simple"], ["--on-disconnect", "fallback"],
        ] {
            let result = try await AccrecProcess.run(["record", "-o", "-", "--app", "x"] + option, on: nil)
            #expect(result.end == .exit(64))
            #expect(result.standardError.contains("--app"), "\(result.standardError)")
            #expect(result.standardError.contains("exclude each other"), "\(result.standardError)")
        }
        #expect(try await AccrecProcess.run(["meter", "--app", " "], on: nil).end == .exit(64))
    }

    @Test(
        "A-01: accrec devices --apps lists what plays, as a table, as JSON and as it changes",
        arguments: ServerKind.allCases)
    func lists(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await server.pactl("set-default-sink", "room")
            let none = try await AccrecProcess.run(["devices", "--apps"], on: server)
            #expect(none.text.isEmpty && none.standardError.contains("no application plays"))
            try await Application.with("player", .tone(1_000), on: server) { player in
                try await AccrecProcess.with(["devices", "--apps", "--watch", "--json"], on: server) { watching in
                    func told(_ word: String) async throws {
                        try await eventually(word) {
                            String(decoding: watching.standardOutput, as: UTF8.self).contains("\"event\":\"\(word)\"")
                        }
                    }
                    try await told("applications")
                    let stream = try await player.play("Song")
                    let listed = try await AccrecProcess.run(["devices", "--app", "play"], on: server)
                    #expect(listed.text.contains("player (application, process \(player.processID))\n> Song\n"))
                    let json = try await AccrecProcess.run(["devices", "--apps", "--json"], on: server)
                    let list = try JSONSerialization.jsonObject(with: json.standardOutput) as? [[String: Any]]
                    let streams = try #require(list?.first?["streams"] as? [[String: Any]])
                    #expect(list?.first?["name"] as? String == "player")
                    #expect(streams.first?["index"] as? Int == Int(stream))
                    #expect(streams.first?["title"] as? String == "Song")
                    try await told("added")
                    try await AccrecProcess.with(["devices", "--apps", "--watch"], on: server) { readable in
                        try await eventually("the table") {
                            String(decoding: readable.standardOutput, as: UTF8.self).contains("Song")
                        }
                        try await player.end()
                        try await eventually("the end of the stream") {
                            String(decoding: readable.standardOutput, as: UTF8.self).contains("removed player")
                        }
                    }
                    try await told("removed")
                }
            }
        }
    }

    private func numbers(in recording: TestRecording) throws -> [Int] {
        Signal.numbers(inCounter: try PCMFile(wav: recording.url).int16, channels: 2).map { Int($0) }
    }
}
