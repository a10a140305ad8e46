import Foundation
import TestSupport
import Testing

/// Outputs of recordings: several at once, file name patterns, and splitting into several files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OutputTests {
    private static let rate = 48_000
    private static let native = ["-r", "native", "-c", "native"]

    /// Expects each file to continue with the number after the last one of the previous file. Within a file, the player
    /// or server may drop frames on a busy machine.
    private func expectOneRun(_ files: [PCMFile]) {
        let numbers = files.map { Signal.numbers(inCounter: $0.int16, channels: 2) }
        for (file, next) in zip(numbers, numbers.dropFirst()) {
            #expect(file.last != 0 && next.first == file.last.map { $0 + 1 })
        }
    }

    @Test("F-08: two outputs of different rates begin and end at the same time", arguments: ServerKind.allCases)
    func outputsAreAligned(kind: ServerKind) async throws {
        var clicks = [Int16](repeating: 0, count: 2 * Self.rate)
        for channel in 0..<2 { clicks[Self.rate + channel] = 24_000 }
        try await PrivateServer.withRoom(kind, playing: .samples(Signal.data(clicks))) { server in
            let result = try await server.record([
                "-o", "music.wav,rate=48000,channels=native,encoding=f32", "-o", "speech.wav,rate=16000,channels=1",
                "-o", "-", "--encoding", "f32", "--max", "2.3",
            ])
            let (music, speech) = (try server.wav("music.wav"), try server.wav("speech.wav"))
            #expect(music.frames == 110_400 && music.channels == 2)
            #expect(speech.frames == 36_800 && speech.channels == 1)
            // The pipe has the mode's rate and channels, not those of another output.
            #expect(result.standardOutput.count == 101_430 * 4)
            // The same click, in the last second of both.
            let late = try #require(Impulse.position(in: Array(music.channel(0).suffix(Self.rate)), upTo: 0.3))
            let click = try #require(Impulse.position(in: Array(speech.floats.suffix(16_000)), upTo: 0.9))
            #expect(abs(click - late / 3) < 0.05)
        }
    }

    @Test("An automatically named file has the time in its name and the requested format; rates are rounded up")
    func namesAndRatesOfTheirOwn() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let result = try await server.record([
                "--auto-name", "-o", "new/takes,format=opus", "--mkdir", "--max", "0.5", "-m", "default",
            ])
            let names = try FileManager.default.contentsOfDirectory(atPath: server.file("new/takes").path)
            #expect(names.count == 1)
            #expect(names[0].wholeMatch(of: /accrec-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d{3}\.opus/) != nil, "\(names)")
            // Opus does not support 44.1 kHz, which is only the mode's.
            #expect(result.standardError.contains("24000 frames, opus, 48000 Hz, 1 channel"))
        }
    }

    @Test("Splitting by length and by size loses no frame", arguments: ServerKind.allCases)
    func filesFollowOneAnother(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            let form = Self.native + ["--encoding", "s16"]
            async let byLength = server.record(["-o", "part-{n}.wav", "--split-every", "1", "--max", "3.5"] + form)
            async let bySize = server.record(["-o", "take.wav", "--split-size", "200K", "--max", "3"] + form)
            let (result, _) = try await (byLength, bySize)

            let parts = try (1...4).map { try server.wav("part-00\($0).wav") }
            #expect(parts.map(\.frames) == [48_000, 48_000, 48_000, 24_000])
            expectOneRun(parts)
            #expect(result.standardError.contains("now recording to 'part-004.wav'"))
            #expect(
                result.standardError.contains(
                    "written   4 files, part-001.wav to part-004.wav: 0:03.500, 168000 frames"))

            let names = try server.fileNames().filter { $0.hasPrefix("take") }
                .sorted { ($0.count, $0) < ($1.count, $1) }
            #expect((3...4).contains(names.count))
            expectOneRun(try names.map { try server.wav($0) })
            for name in names {
                let size = try server.file(name).resourceValues(forKeys: [.fileSizeKey]).fileSize
                #expect(try #require(size) <= 200 << 10)
            }
        }
    }

    @Test(
        "Where files cannot become larger, the next one begins, and no frame is lost",
        arguments: ["wav", "flac", "opus"])
    func limitedFiles(kind: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .counter) { server in
            // In units of 512 bytes, or of 1024 in bash.
            let result = try await server.shell(
                "ulimit -f 128; exec $accrec record -o take.\(kind) -d room.monitor --max 4")
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains(": a new one begins before that") || kind == "opus")
            #expect(result.standardError.contains("lost      0 frames"), "\(result.standardError)")
            let names = try server.fileNames().filter { $0.hasPrefix("take") }
                .sorted { ($0.count, $0) < ($1.count, $1) }
            #expect(kind != "wav" || names.count > 3, "\(names)")
            for name in names {
                let size = try server.file(name).resourceValues(forKeys: [.fileSizeKey]).fileSize
                #expect(try #require(size) <= 128 << 10)
            }
            guard kind != "opus" else { return }
            var files: [PCMFile] = []
            for name in names {
                files.append(try await kind == "wav" ? server.wav(name) : PCMFile(flac: server.file(name)))
            }
            #expect(files.map(\.frames).reduce(0, +) == 4 * 48_000)
            expectOneRun(files)
        }
    }

    @Test("SIGUSR1 starts a new file at an exact frame, and only the last files are kept")
    func aSignalCuts() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .counter) { server in
            let options = ["-o", "logs/log-{n}.wav", "--mkdir", "--keep-last", "3", "--split-size", "1G"]
            let result = try await server.record(options + Self.native) { accrec in
                for number in 1...4 {
                    try await TestRecording(on: server, "logs/log-00\(number).wav").wait(for: 0.5, accrec)
                    accrec.signal(number < 4 ? SIGUSR1 : SIGINT)
                }
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: server.file("logs").path)
                .filter { !$0.hasPrefix(".accrec-files-") }.sorted()
            #expect(names == ["log-002.wav", "log-003.wav", "log-004.wav"])
            expectOneRun(try names.map { try server.wav("logs/\($0)") })
            #expect(result.standardError.contains("removed 'logs/log-001.wav'"))
        }
    }
}
