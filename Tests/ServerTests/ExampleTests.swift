import Foundation
import TestSupport
import Testing

/// the examples, as built by `make client`, record a tone from private servers: the first from both kinds, whose
/// differences are the library's matter.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ExampleTests {
    @Test("R-15: a subscriber saves a recording to a file", arguments: ServerKind.allCases)
    func saveToFile(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .tone(peak: -12)) { server in
            let path = server.file("take.wav")
            let lines = try await Self.run("SaveToFile", "2", path.path, on: server)
            #expect(lines == ["\(path.path): 88200 frames"])
            let file = try PCMFile(wav: path)
            #expect(file.frames == 88_200)
            #expect(file.rate == 44_100 && file.channels == 1 && file.isFloat)
            Self.expectTone(in: file.channel(0), rate: 44_100)
        }
    }

    @Test("R-15: the recorder writes files, each in its own format")
    func recordToFiles() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(peak: -12)) { server in
            let directory = server.directory
            let lines = try await Self.run("RecordToFiles", "2", directory.path, on: server)
            #expect(
                lines == [
                    "\(directory.path)/master.flac: 96000 frames, 48000 Hz, 2 channels",
                    "\(directory.path)/disc.wav: 88200 frames, 44100 Hz, 2 channels",
                    "\(directory.path)/speech.raw: 32000 frames, 16000 Hz, 1 channels",
                ])
            let master = try await PCMFile(flac: directory.appending(path: "master.flac"))
            #expect(master.frames == 96_000)
            #expect(master.rate == 48_000 && master.channels == 2 && master.bits == 24)
            let disc = try PCMFile(wav: directory.appending(path: "disc.wav"))
            #expect(disc.frames == 88_200)
            #expect(disc.rate == 44_100 && disc.channels == 2 && disc.bits == 16)
            let speech = Signal.float(try Data(contentsOf: directory.appending(path: "speech.raw")))
            #expect(speech.count == 32_000)
            Self.expectTone(in: master.channel(1), rate: 48_000)
            Self.expectTone(in: disc.channel(1), rate: 44_100)
            Self.expectTone(in: speech, rate: 16_000)
        }
    }

    @Test("R-15: a transcriber receives what goes to the file")
    func secondConsumer() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(peak: -12)) { server in
            let path = server.file("take.wav")
            let lines = try await Self.run("SecondConsumer", "2", path.path, on: server)
            // The same duration at 48 and 16 kHz.
            #expect(lines.suffix(2) == ["\(path.path): 96000 frames", "transcriber: 32000 frames"])
            let windows = lines.dropLast(2).map { $0.components(separatedBy: " s: ") }
            #expect(windows.map(\.first) == ["0.0", "0.5", "1.0", "1.5"])
            // A sine with a peak of -12 dBFS. A stream may begin with silence.
            for window in windows.dropFirst() {
                let level = try #require(Double(window[1].dropLast(" dBFS".count)))
                #expect(abs(level + 15) < 0.5)
            }
            let file = try PCMFile(wav: path)
            #expect(file.frames == 96_000)
            #expect(file.rate == 48_000 && file.channels == 2)
            Self.expectTone(in: file.channel(0), rate: 48_000)
        }
    }

    @Test("R-15: two views of one recording; the late one gets the history at once")
    func twoViews() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(peak: -12)) { server in
            let lines = try await Self.run("TwoViews", "2", on: server)
            let times = try lines.filter { $0.hasPrefix("clock: ") }.map { line in
                try #require(Double(line.dropFirst("clock: ".count).dropLast(" s".count)))
            }
            #expect(times.first == 0)
            #expect(times == times.sorted())
            #expect(try #require(times.last) > 1.5)
            let histories = lines.filter { $0.hasPrefix("waveform: ") }.map { $0.count - "waveform: ".count }
            // It subscribed after one second, at least ten buffers of 4096 frames; the recording has 22.
            #expect(try #require(histories.first) >= 10)
            #expect(histories.last == 22)
        }
    }

    @Test("R-15: a view model follows its recordings, one of which it discards")
    func viewModel() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(peak: -12)) { server in
            let path = server.file("take.wav")
            let lines = try await Self.run("ViewModel", "2", path.path, on: server)
            let file = try PCMFile(wav: path)
            #expect(lines.last == "\(path.path): \(file.frames) frames")
            #expect(file.frames >= 88_200)
            Self.expectTone(in: file.channel(0), rate: 44_100)
            let times = try lines.dropLast().map { try #require(Double($0.prefix { $0 != " " })) }
            let restarts = zip(times, times.dropFirst()).filter { $0 > $1 }
            #expect(restarts.count == 1)
            #expect(restarts.allSatisfy { $0.0 >= 1 && $0.1 == 0 })
            #expect(try #require(times.last) >= 2)
        }
    }

    @Test("R-15, I-13: a view model learns that its recording broke off, and keeps the file")
    func viewModelIsInterrupted() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .tone(peak: -12)) { server in
            let path = server.file("take.wav")
            let command = [try Self.executable("ViewModel"), "60", path.path]
            try await ChildProcess.with(command, environment: Self.environment(server)) { example in
                try await eventually("half a second in the file") {
                    let attributes = try? FileManager.default.attributesOfItem(atPath: path.path)
                    return (attributes?[.size] as? Int ?? 0) > 44_100
                }
                try await server.kill()
                let result = try await example.wait()
                #expect(result.end == .exit(1))
                #expect(result.standardError.contains("ended early"))
                #expect(try PCMFile(wav: path).frames >= 22_000)
            }
        }
    }

    @Test("R-15: without a server the error says what to do", arguments: names)
    func noServer(name: String) async throws {
        try await TemporaryDirectory.with { directory in
            let environment = ChildProcess.baseEnvironment.merging([
                "PULSE_SERVER": "unix:/nonexistent/native", "XDG_RUNTIME_DIR": directory.path, "HOME": directory.path,
            ]) { $1 }
            let result = try await ChildProcess.run(
                [try Self.executable(name)], environment: environment, in: directory)
            #expect(result.end == .exit(1))
            #expect(result.text.isEmpty)
            #expect(result.standardError.contains("cannot reach the sound server"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    private static let names = ["SaveToFile", "RecordToFiles", "SecondConsumer", "TwoViews", "ViewModel"]

    /// Runs an example, expects success, and returns the lines that it prints.
    private static func run(_ name: String, _ arguments: String..., on server: PrivateServer) async throws -> [String] {
        let result = try await ChildProcess.run([try executable(name)] + arguments, environment: environment(server))
        #expect(result.end == .exit(0), "\(name): \(result.standardError)")
        #expect(result.standardError.isEmpty)
        return result.text.split(separator: "\n").map(String.init)
    }

    private static func environment(_ server: PrivateServer) -> [String: String] {
        server.environment.merging(["PULSE_SOURCE": "room.monitor"]) { $1 }
    }

    private static func executable(_ name: String) throws -> String {
        let path = Project.file(".build/client/build/debug/\(name)").path
        try #require(
            FileManager.default.isExecutableFile(atPath: path), "no \(path): build the examples by `make client`")
        return path
    }

    /// Expects the tone in a channel, from half a second on, since a stream may begin with silence.
    private static func expectTone(in samples: [Float], rate: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        let tone = Tone(in: Array(samples.dropFirst(rate / 2)), rate: rate, near: 1_000)
        #expect(abs(tone.frequency - 1_000) < 0.5, sourceLocation: sourceLocation)
        #expect(abs(tone.peak + 12) < 0.2, sourceLocation: sourceLocation)
    }
}
