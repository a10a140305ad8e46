import Foundation
import TestSupport
import Testing

/// The test fixtures work, so that failures in other tests are the recorder's.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct FixtureTests {
    @Test(arguments: ServerKind.allCases)
    func serverAnswers(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            let information = try await server.pactl("info")
            #expect(information.contains("Server String: \(server.address)\n"))
            #expect(information.contains("PipeWire") == (kind == .pipeWire))
            #expect(server.environment["PULSE_SERVER"] == server.address)
        }
    }

    @Test(arguments: ServerKind.allCases)
    func nothingIsLeftBehind(kind: ServerKind) async throws {
        var directory = "", processes: [pid_t] = []
        await #expect(throws: Marker.self) {
            try await PrivateServer.withOwn(kind) { server in
                directory = server.directory.deletingLastPathComponent().path
                processes = Self.processes(naming: directory)
                #expect(processes.contains(server.processID))
                #expect(processes.count >= (kind == .pulseAudio ? 1 : 4))
                throw Marker()
            }
        }
        #expect(!processes.isEmpty)
        #expect(processes.allSatisfy { kill($0, 0) != 0 })
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test(arguments: ServerKind.allCases)
    func killedServerIsGone(kind: ServerKind) async throws {
        var directory = ""
        try await PrivateServer.withOwn(kind) { server in
            directory = server.directory.deletingLastPathComponent().path
            try await server.kill()
            await #expect(throws: CommandFailure.self) { try await server.pactl("info") }
        }
        #expect(Self.processes(naming: directory).isEmpty)
    }

    @Test("The next test has the same server without the modules of the last, unless that has changed it otherwise")
    func serversAreShared() async throws {
        var seen: [pid_t] = []
        for changesDefault in [false, true, false] {
            try await PrivateServer.with(.pulseAudio) { server in
                seen.append(server.processID)
                #expect(try await server.sampleSpec(of: "room.monitor") == nil)
                #expect(try FileManager.default.contentsOfDirectory(atPath: server.directory.path).isEmpty)
                try await server.loadNullSink("room")
                if changesDefault { try await server.setDefaultSource("room.monitor") }
                try Data().write(to: server.directory.appending(path: "file"))
            }
        }
        #expect(seen[0] == seen[1] && seen[1] != seen[2])
    }

    @Test(arguments: ServerKind.allCases)
    func microphoneHearsTheSink(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room", properties: ["device.description": "A room"])
            try await server.makeMicrophone("microphone", hearing: "room", properties: ["device.bus": "usb"])
            try await server.setDefaultSource("microphone")
            #expect(try await server.pactl("list", "sinks").contains("Description: A room\n"))
            #expect(try await server.pactl("list", "sources").contains("device.bus = \"usb\""))
            try await Self.expectNoise(from: "microphone", playedInto: "room", on: server)
        }
    }

    @Test(
        arguments: [
            (ServerKind.pulseAudio, PCMFormat()),
            (.pulseAudio, PCMFormat(rate: 44_100, channels: 1)),
            // PipeWire's graph runs at 48 kHz.
            (.pipeWire, PCMFormat()),
        ])
    func monitorIsBitExact(kind: ServerKind, format: PCMFormat) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room", format)
            try await Self.expectNoise(from: "room.monitor", playedInto: "room", format, on: server)
        }
    }

    @Test(arguments: [(ServerKind.pulseAudio, 1), (.pulseAudio, 2), (.pipeWire, 2)])
    func feederLosesNothing(kind: ServerKind, channels: Int) async throws {
        let format = PCMFormat(channels: channels)
        try await PrivateServer.with(kind) { server in
            let generate: @Sendable (Int, Int) -> Data = { first, count in
                Signal.data(Signal.counter(from: UInt32(first), frames: count, channels: channels))
            }
            try await PipeSourceFeeder.with("counter", format, on: server, generate: generate) { feeder in
                let samples = try await Self.record(seconds: 2, from: "counter", format, on: server)
                if kind == .pulseAudio {
                    #expect(Signal.firstBreak(inCounter: samples, channels: channels) == nil)
                } else {
                    // A late feeder would cause silence.
                    let numbers = Signal.numbers(inCounter: samples, channels: channels).map(Int.init)
                    let skips = zip(numbers, numbers.dropFirst()).map { $1 - $0 - 1 }.filter { $0 != 0 }
                    #expect(skips.allSatisfy { $0 > 0 && $0 % Tolerance.cycleOfPipeSource == 0 }, "\(skips)")
                }
                #expect(feeder.framesWritten >= samples.count / channels)
                try await server.kill()
                try await eventually("disconnection") { feeder.isDisconnected }
            }
        }
    }

    @Test func childProcess() async throws {
        let echo = try await ChildProcess.run(["sh", "-c", "echo out; echo err >&2; exit 3"])
        #expect(echo.end == .exit(3))
        #expect(echo.text == "out\n")
        #expect(echo.standardError == "err\n")

        try await ChildProcess.with(["cat"], input: .pipe) { cat in
            #expect(cat.write(Data(repeating: 7, count: 1_000_000)))
            cat.closeInput()
            let result = try await cat.wait()
            #expect(result.standardOutput == Data(repeating: 7, count: 1_000_000))
            #expect(!cat.write(Data(count: 1)))
        }

        var processID: pid_t = 0
        await #expect(throws: DeadlineExceeded.self) {
            try await ChildProcess.with(["sleep", "100"]) { sleep in
                processID = sleep.processID
                _ = try await sleep.wait(within: 0.1)
            }
        }
        #expect(kill(processID, 0) != 0)
        await #expect(throws: CommandFailure.self) { try await ChildProcess.run(["/nonexistent"]) }
        let directory = try await TemporaryDirectory.with { directory in
            let result = try await ChildProcess.run(["pwd"], in: directory)
            #expect(result.text == directory.path + "\n")
            return directory
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path))
    }

    @Test(arguments: [44_100, 48_000], [997.0, 1000.013, 440])
    func toneIsMeasured(rate: Int, frequency: Double) {
        let samples = Signal.sine(frequency: frequency, peak: -12, rate: rate, channels: 1, frames: 2 * rate)
        let tone = Tone(in: samples, rate: rate, near: frequency.rounded() + 15)
        #expect(abs(tone.frequency / frequency - 1) < 1e-6)
        #expect(abs(tone.peak + 12) < 0.001)
        #expect(abs(tone.rms + 15.0103) < 0.001)
        #expect(tone.residual < -120)
    }

    @Test("A recording of a loop may lack cycles and have silence, in each channel by itself, and nothing else")
    func loopsAreRecognised() {
        let noise = Signal.noise(seed: 3, samples: 10_000 * 2)
        let loop = PlayedLoop(noise, channels: 2)
        let values = noise.map { Double($0) / 32_768 }
        func fault(_ recorded: [Double], mayBreak: Bool = true) -> String? {
            loop.fault(in: recorded, silence: 100, mayBreak: mayBreak)
        }
        let twice = values.dropFirst(2 * 700) + values
        let cycles = values.prefix(2 * 3_000) + values.dropFirst(2 * (3_000 + 2 * Tolerance.cycle))
        let silence = values.prefix(2 * 3_000) + [Double](repeating: 0, count: 2 * 333) + values.dropFirst(2 * 3_000)
        var oneChannel = values
        for frame in 3_000..<4_024 { oneChannel[2 * frame] = 0 }
        #expect(fault(Array(twice), mayBreak: false) == nil)
        for broken in [Array(cycles), Array(silence), oneChannel] {
            #expect(fault(broken) == nil)
            #expect(fault(broken, mayBreak: false) != nil)
        }

        let frameLost = Array(values.prefix(2 * 3_000) + values.dropFirst(2 * 3_001))
        var sampleChanged = values
        sampleChanged[777] += 1 / 32_768.0
        let lateStart = [Double](repeating: 0, count: 2 * 101) + values
        for wrong in [frameLost, sampleChanged, lateStart, [], values.map { -$0 }] { #expect(fault(wrong) != nil) }
    }

    @Test func filesAreRead() async throws {
        try await TemporaryDirectory.with { directory in
            let noise = Signal.noise(seed: 1, samples: 20_001 * 2)
            let wav = directory.appending(path: "noise.wav")
            let file = PCMFile(rate: 44_100, channels: 2, noise)
            try file.write(wav: wav)
            #expect(try PCMFile(wav: wav) == file)
            #expect(file.frames == 20_001)
            #expect(file.integers == noise.map(Int32.init))
            #expect(file.channel(1)[7] == Float(noise[15]) / 32768)

            // sox writes 24 bits as WAVE_FORMAT_EXTENSIBLE.
            for bits in [24, 32] {
                let other = directory.appending(path: "\(bits).wav")
                _ = try await ChildProcess.run(["sox", wav.path, "-b", "\(bits)", other.path])
                let read = try PCMFile(wav: other)
                #expect(read.bits == bits)
                #expect(read.floats == file.floats)
            }
            let flac = directory.appending(path: "noise.flac")
            _ = try await ChildProcess.run(["flac", "-s", wav.path, "-o", flac.path])
            #expect(try await PCMFile(flac: flac) == file)

            try Data(contentsOf: flac).dropLast(100).write(to: flac)
            await #expect(throws: CommandFailure.self) { try await PCMFile(flac: flac) }
            try Data(contentsOf: wav).dropLast(1).write(to: wav)
            #expect(throws: PCMFileError.self) { try PCMFile(wav: wav) }
        }
    }

    private struct Marker: Error {}

    /// Plays noise, records two seconds of it, and expects it to be bit-exact.
    private static func expectNoise(
        from source: String, playedInto sink: String, _ format: PCMFormat = PCMFormat(), on server: PrivateServer
    ) async throws {
        let noise = Signal.noise(seed: 1, samples: 3 * format.rate * format.channels)
        try await Player.with(Signal.data(noise), format, into: sink, on: server) { player in
            let recorded = try await record(seconds: 1.5, from: source, format, on: server)
            #expect(recorded.count > format.rate * format.channels)
            // A source that has just been linked may begin with silence; see also `makeMicrophone`.
            let fault = PlayedLoop(noise, channels: format.channels).fault(
                in: recorded.map { Double($0) / 32_768 }, silence: format.rate / 2,
                mayBreak: server.kind == .pipeWire || player.underruns > 0)
            #expect(fault == nil)
        }
    }

    /// Records at least this many seconds of a source with parec.
    private static func record(
        seconds: Double, from source: String, _ format: PCMFormat, on server: PrivateServer
    ) async throws -> [Int16] {
        let command = ["parec", "--raw", "--device=\(source)", "--latency-msec=20"] + format.options
        return try await ChildProcess.with(command, environment: server.environment) { parec in
            let size = Int(seconds * Double(format.rate)) * format.frameSize
            try await eventually("\(size) bytes from \(source): \(parec.standardError)", within: 20) {
                parec.standardOutput.count > size
            }
            let data = parec.standardOutput
            return Signal.int16(data.prefix(data.count / format.frameSize * format.frameSize))
        }
    }

    /// The processes whose environment or command line contains a text.
    private static func processes(naming text: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(pid_t.init).filter { processID in
            ["environ", "cmdline"].contains { file in
                let content = FileManager.default.contents(atPath: "/proc/\(processID)/\(file)") ?? Data()
                return String(decoding: content, as: UTF8.self).contains(text)
            }
        }
    }
}
