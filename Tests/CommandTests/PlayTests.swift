import Foundation
import TestSupport
import Testing

/// `accrec play` on both servers, in a terminal and without one.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct PlayTests {
    /// Writes a file of noise.
    private static func writeNoise(_ name: String, seconds: Int, on server: PrivateServer) throws {
        let file = PCMFile(rate: 48_000, channels: 2, Signal.noise(seed: 7, samples: 2 * 48_000 * seconds))
        try file.write(wav: server.file(name))
    }

    @Test("No sample is changed on the way to a sink of the file's format", arguments: ServerKind.allCases)
    func isBitExact(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await [PCMFormat.Encoding.s16, .s24, .f32].concurrentForEach {
                try await Self.expectBitExactness(of: $0, on: server)
            }
        }
    }

    private static func expectBitExactness(of encoding: PCMFormat.Encoding, on server: PrivateServer) async throws {
        let format = PCMFormat(encoding: encoding)
        let sink = "\(encoding)"
        try await server.loadNullSink(sink, format)
        let noise = encoding.data(Signal.words(seed: 3, samples: 2 * 96_000))
        let file = server.file("\(encoding).noise")
        switch encoding {
        case .s16: try PCMFile(rate: 48_000, channels: 2, Signal.int16(noise)).write(wav: file)
        case .f32: try PCMFile(rate: 48_000, channels: 2, Signal.float(noise)).write(wav: file)
        default:
            try noise.write(to: server.file("noise.raw"))
            let flac = [
                "flac", "-s", "--force-raw-format", "--endian=little", "--sign=signed", "--channels=2",
                "--bps=24", "--sample-rate=48000", "-o", file.path, server.file("noise.raw").path,
            ]
            #expect(try await ChildProcess.run(flac, environment: server.environment).end == .exit(0))
        }
        let recorded = server.file("\(encoding).heard")
        let recorder = ["parecord", "--raw", "-d", "\(sink).monitor", "--latency-msec=50", recorded.path]
        try await ChildProcess.with(recorder + format.options, environment: server.environment) { _ in
            try await eventually("a recording of the monitor") { (try? Data(contentsOf: recorded))?.isEmpty == false }
            let result = try await server.accrec(["play", file.lastPathComponent, "-q", "-d", sink])
            #expect(result.standardError.isEmpty, "\(result.standardError)")
            try await eventually("the samples of \(encoding)") {
                try Data(contentsOf: recorded).range(of: noise) != nil
            }
        }
    }

    @Test("Everything is heard on a sink that renders two seconds at once, as one without a prompt client does")
    func losesNothingOnASlowSink() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("slow", isPrompt: false)
            let counter = Signal.counter(from: 1, frames: 4 * 48_000, channels: 2)
            try PCMFile(rate: 48_000, channels: 2, counter).write(wav: server.file("counter.wav"))
            let recorded = server.file("heard.raw")
            let recorder = ["parecord", "--raw", "-d", "slow.monitor", recorded.path] + PCMFormat().options
            try await ChildProcess.with(recorder, environment: server.environment) { _ in
                try await eventually("a recording of the monitor") {
                    (try? Data(contentsOf: recorded))?.isEmpty == false
                }
                let result = try await server.accrec(["play", "counter.wav", "-q", "-d", "slow"])
                #expect(result.standardError.isEmpty, "\(result.standardError)")
                try await eventually("the last frame") {
                    try Data(contentsOf: recorded).range(of: Signal.data(Array(counter.suffix(64)))) != nil
                }
            }
            let heard = Signal.numbers(inCounter: Signal.int16(try Data(contentsOf: recorded)), channels: 2)
                .filter { $0 != 0 }
            // A monitor that has just been opened has heard the silence that the sink replaces by the first sound.
            let first = try #require(heard.first)
            #expect(first < 48_000 && heard.count == 192_001 - Int(first) && heard.last == 192_000)
        }
    }

    @Test("Each format that accrec writes is played to its end", arguments: ServerKind.allCases)
    func playsEveryFormat(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let names = ["wav", "w64", "aiff", "caf", "flac", "ogg", "opus", "mp3"].map { "take.\($0)" }
            try await server.record(names.flatMap { ["-o", $0] } + ["--max", "0.5", "-r", "48000", "-c", "2", "-q"])
            try await names.concurrentForEach { name in
                let result = try await server.accrec(["play", name, "-d", "room"])
                let lines = result.standardError.split(separator: "\n")
                #expect(lines.count == 1 && lines[0].hasPrefix("accrec: playing '\(name)' (0:00."), "\(lines)")
            }
        }
    }

    @Test("Keys pause, move and stop in a terminal, which is restored")
    func obeysKeys() async throws {
        let position = { (screen: [String]) in
            screen.compactMap { $0.firstMatch(of: /(?:PLAY|PAUSED)  (\d):(\d\d\.\d)  of 2:00\.0/) }.last
                .flatMap { match in Double(match.2).map { $0 + 60 * Double(match.1)! } } ?? -1
        }
        try await TmuxTerminal.withAccrec(playing: nil) { terminal, server in
            try Self.writeNoise("noise.wav", seconds: 120, on: server)
            try await terminal.enter(
                "stty -g >before; accrec play noise.wav; echo status $? >status; stty -g >after")
            try await terminal.waitForScreen("a running playback") { position($0) > 0.5 }
            try await terminal.press("Space")
            let paused = try await terminal.waitForScreen("a pause") { $0.contains { $0.contains("PAUSED") } }
            try await terminal.press("Up")
            try await terminal.waitForScreen("a minute later") { position($0) > position(paused) + 59 }
            for key in ["Left", "Left"] { try await terminal.press(key) }
            try await terminal.waitForScreen("ten seconds earlier") { position($0) < position(paused) + 51 }
            try await terminal.press("Space")
            try await terminal.waitForScreen("the playback again") { $0.contains { $0.contains("PLAY") } }
            try await terminal.press("Home")
            try await terminal.waitForScreen("the beginning") { (0..<10).contains(position($0)) }
            try await terminal.press("?")
            try await terminal.waitForScreen("the keys") { $0.contains { $0.contains("left/right 5 s") } }
            try await terminal.press("End")
            try await terminal.waitForScreen("the last seconds") { position($0) >= 115 }
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test("A playback goes from marker to marker, and begins at one by its label")
    func followsMarkers() async throws {
        let position = { (screen: [String]) in
            screen.compactMap { $0.firstMatch(of: /(?:PLAY|PAUSED)  0:(\d\d\.\d)  of 0:50\.0/) }.last
                .flatMap { Double($0.1) } ?? -1
        }
        try await TmuxTerminal.withAccrec(playing: nil) { terminal, server in
            try Self.writeNoise("noise.wav", seconds: 50, on: server)
            let markers = ["0\t0\tmarkers of noise.wav", "15\t15\tVerse 1", "30\t30\tVerse 2", "45\t45\tEnd\u{1B}[2J"]
            try server.write(markers.joined(separator: "\n"), to: "noise.wav.labels.txt")
            try await terminal.enter("accrec play noise.wav --start 'verse 2'; echo status $?")
            try await terminal.waitForScreen("the second verse") { (30..<40).contains(position($0)) }
            try await terminal.press("Space")
            try await terminal.waitForScreen("a pause") { $0.contains { $0.contains("PAUSED") } }
            try await terminal.press("Home")
            try await terminal.waitForScreen("the beginning") { position($0) == 0 }
            let steps = [
                ("n", 15.0, "0:15.000 Verse 1"), ("NPage", 30, "0:30.000 Verse 2"), ("n", 45, "0:45.000 End?[2J"),
            ]
            for (key, place, message) in steps + [("b", 30, "Verse 2"), ("PPage", 15, "Verse 1"), ("b", 0, "Verse 1")] {
                try await terminal.press(key)
                try await terminal.waitForScreen("\(message), by \(key)") { screen in
                    position(screen) == place && screen.contains { $0.contains(message) }
                }
            }
            try await terminal.press("?")
            try await terminal.waitForScreen("the keys") { $0.contains { $0.contains("n/b marker") } }
            try await terminal.press("q")
            try await terminal.waitForScreen("the end") { $0.contains("status 0") }
            for (label, message) in [("Verse", "is part of 2 markers"), ("chorus", "no marker of 'noise.wav'")] {
                let refused = try await server.accrec(["play", "noise.wav", "--start", label], status: 64)
                #expect(refused.standardError.contains(message), "\(refused.standardError)")
            }
        }
    }

    @Test("Damaged files are played as far as they go, and reported", arguments: ServerKind.allCases)
    func playsWhatIsThere(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try Self.writeNoise("noise.wav", seconds: 2, on: server)
            let flac = ["flac", "-s", "-o", server.file("noise.flac").path, server.file("noise.wav").path]
            #expect(try await ChildProcess.run(flac, environment: server.environment).end == .exit(0))
            try await ["noise.wav", "noise.flac"].concurrentForEach { name in
                let whole = try Data(contentsOf: server.file(name))
                try whole.prefix(whole.count / 2).write(to: server.file(name))
                let result = try await server.accrec(["play", name, "-d", "room"], status: 1)
                #expect(result.standardError.contains("accrec: '\(name)' is damaged: "), "\(result.standardError)")
                #expect(result.standardError.contains("'accrec repair' repairs it."))
            }
        }
    }

    @Test("A file that takes long to examine delays neither the end of a playback by hand, nor that by a second signal")
    func isStoppedDuringTheExamination() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            // A hole follows the samples. The examination reads all of it, which takes several minutes.
            let files = [(name: "short.wav", seconds: 1), (name: "long.wav", seconds: 60)]
            for file in files {
                try Self.writeNoise(file.name, seconds: file.seconds, on: server)
                #expect(truncate(server.file(file.name).path, 1 << 40) == 0)
            }
            for file in files {
                let status: Int32 = file.seconds > 1 ? 0 : 130
                try await server.accrec(["play", file.name, "-d", "room"], status: status, within: 20) { accrec in
                    try await accrec.waitForStandardError(containing: "playing")
                    // Until the playback is over, a signal stops it; afterwards, it ends the program.
                    try await eventually("the end of the playback") {
                        let streams = try await server.pactl("list", "short", "sink-inputs")
                        return file.seconds > 1 || streams.isEmpty
                    }
                    accrec.signal(SIGINT)
                }
            }
        }
    }

    @Test("A file, a sink, a server and a place that are not there have their exit statuses")
    func refusesWhatIsNotThere() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try Self.writeNoise("noise.wav", seconds: 1, on: server)
            let trials: [(arguments: [String], status: Int32, text: String)] = [
                (["none.wav"], 1, "cannot play 'none.wav': No such file or directory"),
                (["noise.wav", "-d", "romo"], 8, "cannot play on 'romo': no such sink. Did you mean 'room'? "),
                (["noise.wav", "--server", "unix:/none"], 9, "cannot play 'noise.wav': "),
                (["noise.wav", "--from", "10"], 64, "unknown option '--from': --start begins at a time"),
                (["noise.wav", "-ss", "10"], 64, "unknown option '-s': --start begins at a time"),
                (["noise.wav", "--sink", "room"], 64, "unknown option '--sink': -d names the sink"),
                (["noise.wav", "--start", "1"], 64, "cannot play 'noise.wav' from 1.0 s: it is 1.0 s long. "),
            ]
            for trial in trials {
                let result = try await server.accrec(["play"] + trial.arguments, status: trial.status)
                #expect(result.standardError.hasPrefix("accrec: \(trial.text)"), "\(result.standardError)")
            }
        }
    }

    /// Runs a body while two minutes play.
    private static func withLongPlayback(
        on server: PrivateServer, status: Int32 = 0, _ body: (ChildProcess) async throws -> Void
    ) async throws -> ProcessResult {
        try writeNoise("noise.wav", seconds: 120, on: server)
        return try await server.accrec(["play", "noise.wav", "-d", "room"], status: status) { accrec in
            try await accrec.waitForStandardError(containing: "playing")
            let recorder = ["parec", "--raw", "-d", "room.monitor", "--latency-msec=50"]
            try await ChildProcess.with(recorder, environment: server.environment) { recorder in
                try await eventually("its sound") { recorder.standardOutput.contains { $0 != 0 } }
            }
            try await body(accrec)
        }
    }

    @Test("A server that is stopped or gone ends a playback with words")
    func endsWithItsServer() async throws {
        let ends = ServerKind.allCases.flatMap { kind in [SIGSTOP, SIGKILL].map { (kind, $0) } }
        try await ends.concurrentForEach { kind, number in
            try await PrivateServer.withRoom(kind) { server in
                defer { server.signal(SIGCONT) }
                let result = try await Self.withLongPlayback(on: server, status: 4) { _ in server.signal(number) }
                #expect(result.standardError.contains("accrec: playing 'noise.wav' ended early: "))
            }
        }
    }

    @Test("A playback goes on elsewhere when its sink goes", arguments: ServerKind.allCases)
    func survivesItsSink(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            let sink = try await server.loadNullSink("room")
            try await server.loadNullSink("other")
            _ = try await Self.withLongPlayback(on: server) { accrec in
                try await server.unloadModule(sink)
                try await accrec.waitForStandardError(containing: "the file plays on ")
                accrec.signal(SIGINT)
            }
        }
    }

    @Test("A playback that could not keep up tells where")
    func tellsUnderruns() async throws {
        try await ServerKind.allCases.concurrentForEach { kind in
            try await PrivateServer.withRoom(kind) { server in
                _ = try await Self.withLongPlayback(on: server) { accrec in
                    // Longer than the server and its sink buffer audio.
                    accrec.signal(SIGSTOP)
                    let stopped = ContinuousClock.now
                    try await eventually("six seconds") { ContinuousClock.now - stopped > .seconds(6) }
                    accrec.signal(SIGCONT)
                    try await accrec.waitForStandardError(containing: "ran out of audio at 0:0")
                    accrec.signal(SIGINT)
                }
            }
        }
    }
}
