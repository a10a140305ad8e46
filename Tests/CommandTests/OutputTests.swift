import Foundation
import TestSupport
import Testing

/// Outputs of takes: several at once, file name patterns, and splitting into several files.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct OutputTests {
    private static let rate = 48_000
    private static let source = ["-d", "room.monitor"]

    /// Runs a body while a counter plays, so that each frame carries its number.
    private func withCounter(_ kind: ServerKind, _ body: (PrivateServer) async throws -> Void) async throws {
        let counter = Signal.counter(from: 1, frames: 40 * Self.rate, channels: 2)
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await Player.with(Signal.data(counter), into: "room", on: server) { _ in try await body(server) }
        }
    }

    @discardableResult
    private func run(_ arguments: [String], on server: PrivateServer) async throws -> ProcessResult {
        let result = try await AccrecProcess.run(
            ["record"] + arguments + Self.source, on: server, in: server.directory)
        #expect(result.end == .exit(0), "\(result.standardError)")
        return result
    }

    private func file(_ name: String, on server: PrivateServer) throws -> PCMFile {
        try PCMFile(wav: server.directory.appending(path: name))
    }

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
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            var clicks = [Int16](repeating: 0, count: 2 * Self.rate)
            for channel in 0..<2 { clicks[Self.rate + channel] = 24_000 }
            try await Player.with(Signal.data(clicks), into: "room", on: server) { _ in
                let result = try await run(
                    [
                        "-o", "music.wav,rate=48000,channels=native,encoding=f32", "-o",
                        "speech.wav,rate=16000,channels=1",
                    ]
                        + ["-o", "-", "--encoding", "f32", "--max", "3.3"], on: server)
                let music = try file("music.wav", on: server)
                let speech = try file("speech.wav", on: server)
                #expect(music.frames == 158_400 && music.channels == 2)
                #expect(speech.frames == 52_800 && speech.channels == 1)
                // The pipe has the mode's rate and channels, not those of another output.
                #expect(result.standardOutput.count == 145_530 * 4)
                // The same click, in the last second of both.
                let left = stride(from: 2 * (music.frames - Self.rate), to: 2 * music.frames, by: 2)
                    .map { music.floats[$0] }
                let late = try #require(Impulse.position(in: left, upTo: 0.3))
                let click = try #require(Impulse.position(in: Array(speech.floats.suffix(16_000)), upTo: 0.9))
                #expect(abs(click - late / 3) < 0.05)
            }
        }
    }

    @Test("An automatically named file has the time in its name and the requested format; rates are rounded up")
    func namesAndRatesOfTheirOwn() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let result = try await run(
                ["--auto-name", "-o", "new/takes,format=opus", "--mkdir", "--max", "0.5"], on: server)
            let takes = server.directory.appending(path: "new/takes")
            let names = try FileManager.default.contentsOfDirectory(atPath: takes.path)
            #expect(names.count == 1)
            #expect(names[0].wholeMatch(of: /accrec-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d{3}\.opus/) != nil, "\(names)")
            // Opus does not support 44.1 kHz, which is only the default.
            #expect(result.standardError.contains("24000 frames, opus, 48000 Hz, 1 channel"))
        }
    }

    @Test("Splitting by length and by size loses no frame", arguments: ServerKind.allCases)
    func filesFollowOneAnother(kind: ServerKind) async throws {
        try await withCounter(kind) { server in
            let form = ["-r", "native", "-c", "native", "--encoding", "s16"]
            let result = try await run(
                ["-o", "part-{n}.wav", "--split-every", "1", "--max", "3.5"] + form, on: server)
            let parts = try (1...4).map { try file("part-00\($0).wav", on: server) }
            #expect(parts.map(\.frames) == [48_000, 48_000, 48_000, 24_000])
            expectOneRun(parts)
            #expect(result.standardError.contains("now recording to 'part-004.wav'"))
            #expect(
                result.standardError.contains(
                    "written   4 files, part-001.wav to part-004.wav: 0:03.500, 168000 frames"))

            try await run(["-o", "take.wav", "--split-size", "200K", "--max", "3"] + form, on: server)
            let names = try FileManager.default.contentsOfDirectory(atPath: server.directory.path)
                .filter { $0.hasPrefix("take") }.sorted { ($0.count, $0) < ($1.count, $1) }
            #expect((3...4).contains(names.count))
            expectOneRun(try names.map { try file($0, on: server) })
            for name in names {
                let size = try server.directory.appending(path: name).resourceValues(forKeys: [.fileSizeKey]).fileSize
                #expect(try #require(size) <= 200 << 10)
            }
        }
    }

    @Test("SIGUSR1 starts a new file at an exact frame, and only the last files are kept")
    func aSignalCuts() async throws {
        try await withCounter(.pulseAudio) { server in
            let take = [
                "record", "-o", "logs/log-{n}.wav", "--mkdir", "--keep-last", "3", "--split-size", "1G", "-r", "native",
                "-c", "native",
            ]
            let logs = server.directory.appending(path: "logs")
            let result = try await AccrecProcess.with(take + Self.source, on: server, in: server.directory) { accrec in
                for number in 1...4 {
                    let path = logs.appending(path: "log-00\(number).wav").path
                    try await eventually("half a second of sound: \(accrec.standardError)") {
                        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
                        return (size ?? 0) > 100_000
                    }
                    accrec.signal(number < 4 ? SIGUSR1 : SIGINT)
                }
                return try await accrec.wait()
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            let names = try FileManager.default.contentsOfDirectory(atPath: logs.path).sorted()
            #expect(names == ["log-002.wav", "log-003.wav", "log-004.wav"])
            expectOneRun(try names.map { try file("logs/\($0)", on: server) })
            #expect(result.standardError.contains("removed 'logs/log-001.wav'"))
        }
    }
}
