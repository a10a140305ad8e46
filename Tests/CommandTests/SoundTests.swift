import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Recordings that follow the sound of their source.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SoundTests {
    private static let rate = 48_000
    /// Some seconds with two sounds, played again and again: noise, so that no two places are alike.
    private static let scene: Player.Signal = {
        var random = SplitMix64(seed: 27)
        let sounds = [rate * 3 / 2..<rate * 2, rate * 29 / 10..<rate * 63 / 20]
        let samples: [Int16] = (0..<rate * 23 / 5).flatMap { frame in
            let isSound = sounds.contains { $0.contains(frame) }
            return (0..<2).map { _ in isSound ? Int16(truncatingIfNeeded: Int(random.next() >> 50)) - 8_192 : 0 }
        }
        return .samples(Signal.data(samples))
    }()

    // On PulseAudio, because PipeWire skips cycles for each of several recorders by itself.
    @Test("Sounds and the pauses between them are the recording beside them, bit for bit: in a file each, or in one")
    func soundsAddUp() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: Self.scene) { server in
            @Sendable func recordSounds(_ action: String) async throws -> ProcessResult {
                let options = [
                    "--start-on-sound", "-40", "--on-sound", action, "--sound-hold", "0.3", "--pre-roll", "0.2",
                    "--bwf",
                    "--report", "\(action).json", "--events", "\(action).jsonl",
                ]
                return try await server.record(TestRecording(on: server, "\(action).wav"), with: options) { accrec in
                    try await EventsFile(on: server, "\(action).jsonl").wait(for: "sound_ended", count: 4, accrec)
                    accrec.signal(SIGINT)
                }
            }
            let whole = TestRecording(on: server, "whole.wav")
            var messages: [String: String] = [:]
            try await server.record(whole) { beside in
                try await whole.wait(for: 0.3, beside)
                // Both have their pre-roll before the first sound that they hear.
                try await eventually("the longer pause: \(beside.standardError)") {
                    // Its header is behind while frames are being written.
                    (try? PCMFile(wav: whole.url)).map { Self.endsInLongerPause($0.int16) } ?? false
                }
                async let split = recordSounds("split")
                async let join = recordSounds("join")
                messages = try await ["split": split.standardError, "join": join.standardError]
                try await whole.finish(beside, after: 0.5)
            }
            let samples = try PCMFile(wav: whole.url).int16
            for (action, messages) in messages {
                let report = try server.report("\(action).json").recording
                try expectSounds(in: report, isSplit: action == "split", messages, from: samples)
            }
        }
    }

    /// Whether what has been recorded of the scene ends in the pause of 2.95 s, which follows the sound of 0.25 s, with more
    /// than two seconds of it left.
    private static func endsInLongerPause(_ samples: [Int16]) -> Bool {
        let tenth = 2 * rate / 10
        guard let last = samples.lastIndex(where: { $0 != 0 }), last > 4 * tenth else { return false }
        return samples.count - last < 7 * tenth && samples[last - 4 * tenth..<last - 3 * tenth].allSatisfy { $0 == 0 }
    }

    /// Expects a recording of at least four sounds in a whole recording.
    private func expectSounds(
        in report: RecordingReport, isSplit: Bool, _ messages: String, from whole: [Int16]
    ) throws {
        #expect(messages.contains("lost      0 frames"), "\(messages)")
        #expect(report.ending == .finished && report.framesLost == 0)
        #expect(report.gaps.allSatisfy { $0.cause == .silence })
        #expect(messages.contains("of silence, in \(report.gaps.count) pauses"), "\(messages)")
        // The last gap may be at the end.
        let begins = [0] + report.gaps.map(\.position).filter { $0 + 10_080 <= report.frameCount }
        #expect(begins.count >= 4 && report.outputs.count == (isSplit ? begins.count : 1))
        let files = report.outputs.compactMap(\.path).map { URL(filePath: $0) }
        let all = try files.flatMap { try PCMFile(wav: $0).int16 }
        #expect(all.count == 2 * report.frameCount)
        // Each passage begins its pre-roll before its sound, of which no window is missing; the first one with less, if the
        // recording had just begun then.
        let markers = try files.map { file in
            try WAVMarker.all(in: file).filter { $0.label == "sound" }.map(\.frame)
        }
        let earliest = try #require(markers.first?.first)
        #expect((0...9_600).contains(earliest))
        let marks = [earliest] + begins.dropFirst().map { isSplit ? 9_600 : $0 + 9_600 }
        #expect(markers == (isSplit ? marks.map { [$0] } : [marks]))
        try expect(all, sounding: earliest + 480, report.gaps, in: whole)
        for begin in begins where begin > 0 || earliest == 9_600 {
            let preRoll = all[2 * begin..<2 * (begin + 9_600)].map { Double($0) / 32_768 }
            #expect(preRoll.dropLast(960).allSatisfy { $0 == 0 })
            // The sound may begin in the last window, too late for the window to reach -40 dBFS.
            #expect(preRoll.suffix(960).reduce(0) { $0 + $1 * $1 } / 960 < 1e-4)
            #expect(all[2 * (begin + 9_600)..<2 * (begin + 10_080)].contains { $0 != 0 })
        }
    }

    /// Expects passages in a recording of the same source, this far apart.
    ///
    /// - Parameter mark: A frame of the first sound.
    private func expect(_ passages: [Int16], sounding mark: Int, _ gaps: [RecordingGap], in whole: [Int16]) throws {
        let begin = try #require(
            stride(from: 0, to: whole.count - passages.count, by: 2).first { start in
                whole[start + 2 * mark] == passages[2 * mark]
                    && whole[start + 2 * mark..<start + 2 * mark + 200]
                        == passages[2 * mark..<2 * mark + 200]
            })
        var place = begin
        var first = 0
        for gap in gaps {
            let count = 2 * gap.position - first
            let isSame = whole[place..<place + count].elementsEqual(passages[first..<first + count])
            #expect(isSame, "before frame \(gap.position)")
            place += count + 2 * gap.framesLost
            first += count
        }
        #expect(first == passages.count)
    }

    @Test(
        "A recording that a sound starts ends exactly its time of silence after the last sound",
        arguments: ServerKind.allCases)
    func silenceEndsRecordings(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: Self.scene) { server in
            let recording = TestRecording(on: server)
            try await server.record(
                recording, with: ["--start-on-sound", "-40", "--stop-on-silence", "0.75"], within: 40)
            let samples = try PCMFile(wav: recording.url).int16
            let last = try #require(samples.lastIndex { $0 != 0 }) / 2
            // The last window that sounds is recorded as a whole.
            let silence = samples.count / 2 - last - 1 - 36_000
            #expect((0..<480).contains(silence))
            #expect(try WAVMarker.all(in: recording.url) == [WAVMarker(frame: 24_000, label: "sound")])
        }
    }

    @Test(
        "'ctl save' writes what was heard last, armed and while it records, and changes nothing of the recording")
    func savesWhatWasHeard() async throws {
        try await Rooms.with(.pulseAudio) { server, _ in
            let recording = TestRecording(on: server)
            /// Nil if that is refused.
            func trySaving(_ name: String? = nil) async throws -> (recording: TestRecording?, messages: String) {
                let arguments = ["ctl", "save"] + (name.map { [$0] } ?? [])
                let result = try await server.accrec(arguments, status: nil)
                let path = result.text.firstMatch(of: #/in '(.+)'\n/#)?.1
                let recording = path.map { TestRecording(on: server, URL(filePath: String($0)).lastPathComponent) }
                return (result.end == .exit(0) ? recording : nil, result.standardError)
            }
            func save(_ name: String? = nil) async throws -> TestRecording {
                let (recording, messages) = try await trySaving(name)
                return try #require(recording, "\(messages)")
            }
            try await server.record(recording, with: ["--pre-roll", "1"], from: "near") { accrec in
                var armed: TestRecording?
                try await eventually("a second that is kept") {
                    armed = try await trySaving().recording
                    return try armed.map { try $0.counter().numbers.count == 48_000 } ?? false
                }
                let whole = try #require(armed)
                #expect(try whole.breaksInSound().isEmpty)
                #expect(!server.hasFile("take.wav"))
                let refused = try await server.accrec(["ctl", "save", recording.url.path], status: 1)
                #expect(refused.standardError.contains("the recording itself writes"))

                try await server.accrec(["ctl", "start"])
                try await recording.wait(for: 2, accrec)
                let saved = try await save("just now.flac")
                #expect(FileManager.default.fileExists(atPath: saved.url.path))
                let second = try await save()
                let result = try await recording.finish(accrec, after: 0.5)
                #expect(try recording.breaksInSound().isEmpty, "\(result.standardError)")
                let (all, part) = (try recording.counter().numbers, try second.counter().numbers)
                #expect(part.count == 48_000)
                let sound = try #require(part.first { $0 != 0 })
                let first = try #require(all.firstIndex(of: sound))
                #expect(Array(all[first...].prefix(1_000)) == Array(part.drop { $0 == 0 }.prefix(1_000)))
            }
            let other = TestRecording(on: server, "other.wav")
            try await server.record(other, from: "near") { accrec in
                try await other.wait(for: 0.3, accrec)
                let refused = try await server.accrec(["ctl", "save"], status: 1)
                #expect(refused.standardError.contains("no audio is kept; --pre-roll keeps some"))
                accrec.signal(SIGINT)
            }
        }
    }

    // 3 MB a second are more than a busy machine can be sure to play.
    @Test("'ctl save' without enough memory for a copy says so, and the recording goes on untouched")
    func noMemoryToSave() async throws {
        // 3 MB a second, so that a copy of ten seconds needs more than what other threads and buffers are left below.
        let format = PCMFormat(rate: 192_000, channels: 8)
        let length = 30 * format.rate
        let counter = Signal.counter(from: 1, frames: length, channels: 2)
        var samples = [Int16](repeating: 0, count: 4 * counter.count)
        for index in counter.indices { samples[index / 2 * format.channels + index % 2] = counter[index] }
        try await PrivateServer.withRoom(.pulseAudio, format, playing: .samples(Signal.data(samples))) { server in
            let recording = TestRecording(on: server)
            let options = ["--select", "1,2", "--pre-roll", "10s"]
            let result = try await server.record(recording, with: options, rate: "native") { accrec in
                try await eventually("an armed recording: \(accrec.standardError)") {
                    try await server.accrec(["ctl", "start"], status: nil).end == .exit(0)
                }
                // As many bytes as in 10 s.
                try await recording.wait(forAnother: 4 * 10, accrec)
                let status = try String(contentsOfFile: "/proc/\(accrec.processID)/status", encoding: .utf8)
                let size = try #require(status.firstMatch(of: /VmSize:\s+(\d+) kB/).flatMap { Int($0.1) })
                func limit(to limit: String) async throws {
                    let command = ["prlimit", "--pid", "\(accrec.processID)", "--as=\(limit):"]
                    #expect(try await ChildProcess.run(command).end == .exit(0))
                }
                try await limit(to: "\((size + 20_480) << 10)")
                let refused = try await server.accrec(["ctl", "save", server.file("saved.wav").path], status: 1)
                #expect(
                    refused.standardError == """
                        accrec: cannot save: cannot copy what was captured last: Cannot allocate memory. \
                        End other programs, or raise the limits (ulimit).

                        """)
                #expect(!server.hasFile("saved.wav"))
                try await recording.wait(forAnother: 4, accrec)
                try await limit(to: "unlimited")
                try await server.accrec(["ctl", "save", server.file("saved.wav").path])
                #expect(try server.wav("saved.wav").frames == 10 * format.rate)
                try await recording.finish(accrec, after: 1)
            }
            #expect(result.standardError.contains("lost      0 frames"), "\(result.standardError)")
            #expect(try recording.breaksInSound(of: length).isEmpty)
        }
    }

    @Test(
        "Mistakes in the options for sound are refused, with what to do",
        arguments: [
            (["--on-sound", "join"], "--on-sound needs --start-on-sound"),
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
