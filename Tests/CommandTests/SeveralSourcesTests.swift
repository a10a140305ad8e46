import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Recordings of several sources at once, and of what the desktop plays.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SeveralSourcesTests {
    /// Records until the report's file is complete, and returns the report.
    private func report(
        of arguments: [String], on server: PrivateServer, _ body: (ChildProcess) async throws -> Void = { _ in }
    ) async throws -> RecordingReport {
        let options = ["--mode", "measurement", "-r", "48000", "-q", "--force", "--report", "report.json"]
        try await server.record(options + arguments, from: nil, body)
        let data = try Data(contentsOf: server.file("report.json"))
        return try JSONDecoder().decode(WrittenReport.self, from: data).recording
    }

    /// By how many frames a track is later than the first, in the middle of most frames: both have the same counter.
    private func offset(of track: [Int16], to first: [Int16]) -> Int {
        let differences = zip(first, track).filter { $0 != 0 && $1 != 0 }.map { Int($0 &- $1) }.sorted()
        return differences.isEmpty ? .max : differences[differences.count / 2]
    }

    private func samples(_ name: String, on server: PrivateServer) throws -> [Int16] {
        let file = try server.wav(name)
        #expect(file.channels == 1 && file.bits == 16)
        return file.data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    }

    @Test(
        "Two sources that hear the same are tracks side by side, together and each in a file of its own",
        arguments: ServerKind.allCases, [["-d", "room.monitor"], ["--app", "pacat"]])
    func tracks(kind: ServerKind, other: [String]) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            try await server.makeMicrophone("near", hearing: "room")
            try await server.setDefaultSource("near")
            let report = try await report(
                of: other + [
                    "--mic", "--select", "1", "-c", "1", "--encoding", "s16", "--max", "4", "-o", "both.wav",
                    "-o", "{input}.wav",
                ], on: server)
            let name = other[0] == "--app" ? "app:\(other[1])" : other[1]
            #expect(report.channelCount == 2 && report.frameCount == 192_000)
            #expect(report.inputs.map(\.name) == ["mic", name])
            #expect(report.inputs.map(\.source.name) == ["near", other[1]])
            #expect(report.inputs.map(\.channels) == [[1], [2]])
            #expect(report.outputs.allSatisfy { !$0.isBitExact })
            let (mic, monitor) = (try samples("mic.wav", on: server), try samples("\(name).wav", on: server))
            #expect(mic.count == 192_000 && monitor.count == 192_000)
            // Some milliseconds; a busy machine moves what servers state by up to two fragments. Simulations measure it.
            #expect(abs(offset(of: monitor, to: mic)) < 2400, "\(offset(of: monitor, to: mic))")
            let both = try server.wav("both.wav").data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
            #expect(stride(from: 0, to: both.count, by: 2).allSatisfy { both[$0] == mic[$0 / 2] })
            #expect(stride(from: 1, to: both.count, by: 2).allSatisfy { both[$0] == monitor[$0 / 2] })
        }
    }

    @Test("That two files will hold the same is told, and how each source gets its own; of different forms it is not")
    func sameFiles() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await server.makeMicrophone("near", hearing: "room")
            let note = "each file has all sources; '-o mic.wav,input=near' gives one source a file of its own"
            let cases: [(outputs: [String], isTold: Bool)] = [
                (["-o", "a.wav", "-o", "b.wav"], true), (["-o", "c.wav", "-o", "d.flac"], false),
                (["-o", "e.wav", "-o", "f.wav,rate=16000"], false), (["-o", "g.wav", "-o", "h.wav,input=near"], false),
            ]
            for (outputs, isTold) in cases {
                let sources = ["record", "-d", "near", "-d", "room.monitor", "--max", "0.1"]
                let result = try await server.accrec(sources + outputs)
                #expect(result.standardError.contains(note) == isTold, "\(outputs): \(result.standardError)")
            }
        }
    }

    @Test(
        "--align off records each source as if it were alone, and says when its frames were captured",
        arguments: ServerKind.allCases)
    func unaligned(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            // Another rate, which would be converted.
            try await server.pactl(
                "load-module", "module-null-sink", "sink_name=other", "rate=44100", "channels=1", "format=s16le")
            let arguments = [
                "record", "{input}.wav", "-d", "room.monitor", "-d", "other.monitor", "--align", "off", "--max", "5",
                "--encoding", "native",
                "--report", "report.json",
            ]
            let result = try await server.accrec(arguments)
            #expect(result.standardError.contains("accrec: room.monitor: recording from"), "\(result.standardError)")
            let data = try Data(contentsOf: server.file("report.json"))
            let reports = try JSONDecoder().decode([RecordingReport].self, from: data)
            #expect(reports.map(\.source.name) == ["room.monitor", "other.monitor"])
            // PipeWire itself resamples to its own rate.
            #expect(reports.map(\.outputs.first?.isBitExact) == [true, kind == .pulseAudio])
            #expect(reports.allSatisfy { Double($0.frameCount) == 5 * $0.sampleRate && !$0.hasLosses })
            let begins = reports.compactMap { $0.times.points.first?.hostTime }
            #expect(begins.count == 2 && abs(Double(begins[0]) - Double(begins[1])) < 2e9, "\(begins)")
            if kind == .pulseAudio {
                let room = try PCMFile(wav: server.file("room.monitor.wav"))
                let numbers = Signal.numbers(inCounter: room.int16, channels: 2)
                #expect(numbers.count == 240_000 && zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
            }
            for wrong in [
                ["take.wav"], ["{input}.wav", "--delay", "other.monitor=1ms"], ["{input}.wav", "--layout", "mix"],
                ["{input}-{n}.wav", "--repeat"],
            ] {
                let refused = try await server.accrec(
                    ["record", "-d", "room.monitor", "-d", "other.monitor", "--align", "off"] + wrong, status: 64)
                #expect(refused.standardError.contains("--align off"), "\(refused.standardError)")
            }
        }
    }

    @Test("--align off tells events by source, and repeats its takes", arguments: ServerKind.allCases)
    func unalignedEventsAndTakes(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.makeMicrophone("near", hearing: "room")
            let arguments = [
                "record", "{input}-{n}.wav", "-d", "room.monitor", "-d", "near", "--align", "off", "--events", "events",
                "--start-in", "1", "--every", "3s", "--for", "1s",
            ]
            let result = try await server.accrec(arguments, status: nil) { accrec in
                try await eventually("two takes") {
                    let names = try server.fileNames()
                    return ["room.monitor", "near"].allSatisfy { names.contains("\($0)-002.wav") }
                }
                accrec.signal(SIGINT)
            }
            #expect(result.end == .exit(0), "\(result.standardError)")
            #expect(result.standardError.contains("\ninput     near\n"), "\(result.standardError)")
            struct Event: Decodable {
                let event: String
                let input: String
            }
            let lines = try String(contentsOf: server.file("events"), encoding: .utf8).split(separator: "\n")
            let events = try lines.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
            for name in ["room.monitor", "near"] {
                let own = events.filter { $0.input == name }.map(\.event)
                #expect(own.count { $0 == "opened" } >= 2 && own.contains("finished"), "\(own)")
            }
            #expect(try server.wav("near-001.wav").frames == 48_000)
        }
    }

    /// Begins to record two sources with --align off in a terminal.
    private func recordUnaligned(in terminal: TmuxTerminal, _ server: PrivateServer) async throws {
        try await server.makeMicrophone("near", hearing: "room")
        try await terminal.enter(
            "stty -g >before; accrec record '{input}.wav' -d room.monitor -d near --align off; "
                + "echo status $? >status; stty -g >after")
    }

    @Test("--align off shows a row for each source on a terminal, and gives the terminal back")
    func unalignedRows() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await recordUnaligned(in: terminal, server)
            let screen = try await terminal.waitForScreen("two rows with levels") { screen in
                ["room.monitor", "near"].allSatisfy { name in
                    // An expression that does not compile fails each time.
                    screen.contains { $0.wholeMatch(of: try! Regex("\(name) +-12\\.\\d dBFS  ● REC  0:.*")) != nil }
                }
            }
            #expect(screen.allSatisfy { $0.count <= 80 })
            try await terminal.press("C-c")
            #expect(try await terminal.end(on: server) == "status 0\n")
        }
    }

    @Test("Keys pause, mark and finish all sources of --align off at once")
    func unalignedKeys() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            try await recordUnaligned(in: terminal, server)
            let both = { (state: String) in
                { (screen: [String]) in
                    ["room.monitor", "near"].allSatisfy { name in
                        screen.contains { $0.hasPrefix(name) && $0.contains(state) }
                    }
                }
            }
            let screen = try await terminal.waitForScreen("two rows", both("● REC  0:0"))
            #expect(screen.contains("space pause  m mark  s split  q finish"), "\(screen)")
            try await terminal.press("m")
            try await terminal.press("Space")
            _ = try await terminal.waitForScreen("both paused", both("PAUSED"))
            try await terminal.press("Space")
            _ = try await terminal.waitForScreen("both recording again", both("● REC  0:0"))
            try await terminal.press("q")
            #expect(try await terminal.end(on: server) == "status 0\n")
            let names = try server.fileNames()
            #expect(["room.monitor", "near"].allSatisfy { names.contains("\($0).wav.labels.txt") }, "\(names)")
        }
    }

    @Test("'tap --input' writes the channels of one source", arguments: ServerKind.allCases)
    func tapped(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            var tapped: ProcessResult?
            // What it hears is not the counter.
            try await server.loadNullSink("other")
            try await server.makeMicrophone("far", hearing: "other")
            _ = try await report(
                of: ["-d", "room.monitor", "-d", "far", "-c", "1", "--encoding", "s16", "take.wav"], on: server
            ) { accrec in
                try await eventually("the beginning") { try await server.recordingStatus()?.frame ?? 0 > 0 }
                #expect(try await server.ctl("status").status?.inputs == ["room.monitor", "far"])
                let refused = try await server.accrec(["ctl", "tap", "--input", "nobody"], status: 1)
                #expect(refused.standardError.contains("Name one of room.monitor, far"), "\(refused.standardError)")
                let silent = try await server.accrec(["ctl", "tap", "--input", "far"], within: 20) { far in
                    tapped = try await server.accrec(["ctl", "tap", "--input", "room.monitor"], within: 20) { near in
                        try await eventually("samples") {
                            near.standardOutput.count > 96_000 && far.standardOutput.count > 96_000
                        }
                        accrec.signal(SIGINT)
                        _ = try await accrec.wait()
                    }
                }
                #expect(silent.standardOutput.allSatisfy { $0 == 0 })
            }
            let near = Signal.int16(try #require(tapped).standardOutput)
            let file = try server.wav("take.wav").data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
            let track = stride(from: 0, to: file.count, by: 2).map { file[$0] }
            // The file has dither, where the source has floating point.
            let differences = zip(near, track.suffix(near.count)).map { abs(Int($0) - Int($1)) }
            #expect(near.contains { $0 != 0 } && differences.allSatisfy { $0 <= 1 })
        }
    }

    @Test(
        "A source that goes is silence in its track and a gap of it, until it returns", arguments: ServerKind.allCases)
    func goes(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            let near = try await server.makeMicrophone("near", hearing: "room")
            let report = try await report(
                of: ["-d", "room.monitor", "-d", "near", "-c", "1", "-o", "take.wav", "--events", "events.jsonl"],
                on: server
            ) { accrec in
                try await eventually("a first frame") {
                    server.events().contains(#""event":"started""#)
                }
                try await server.unloadModule(near)
                try await eventually("the loss") { server.events().contains(#""event":"device_lost""#) }
                try await server.makeMicrophone("near", hearing: "room")
                try await eventually("the gap") { server.events().contains(#""input":"near""#) }
                accrec.signal(SIGINT)
            }
            let gaps = report.streamGaps.filter { $0.cause == .interruption(.deviceLost) }
            #expect(gaps.count == 1 && gaps.first?.input == "near" && gaps[0].length > .zero)
            #expect(report.framesLost == 0 && report.ending == .finished)
        }
    }

    /// Suspends a sink once its place is settled, for as long as it takes to cause the fault, and waits until that is told for so
    /// many times.
    private func suspend(_ sink: String, on server: PrivateServer, untilGap count: Int) async throws {
        try await SampleClock.with(of: "near", on: server) { clock in
            try await clock.wait(for: 4)
            try await server.pactl("suspend-sink", sink, "1")
            try await clock.wait(for: 1.5)
            try await server.pactl("suspend-sink", sink, "0")
        }
        try await eventually("gap \(count)") {
            server.events().components(separatedBy: #""reason":"suspended""#).count > count
        }
    }

    /// Stops the program for seconds of a source's time.
    private func stop(_ accrec: ChildProcess, for seconds: Double, on server: PrivateServer) async throws {
        try await SampleClock.with(of: "near", on: server) { clock in
            try await clock.wait(for: 1)
            accrec.signal(SIGSTOP)
            try await clock.wait(for: seconds)
            accrec.signal(SIGCONT)
            try await clock.wait(for: 2)
        }
    }

    @Test("A program that was stopped lacks nothing of any of its sources", arguments: ServerKind.allCases)
    func programIsStopped(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            try await server.makeMicrophone("near", hearing: "room")
            let report = try await report(
                of: [
                    "-d", "room.monitor", "-d", "near", "--app", "pacat", "-o", "take.wav", "--events", "events.jsonl",
                ],
                on: server
            ) { accrec in
                try await eventually("a first frame") { server.events().contains(#""event":"started""#) }
                for seconds in [2.8, 2.4, 2.8] { try await stop(accrec, for: seconds, on: server) }
                accrec.signal(SIGINT)
            }
            // A busy server loses some cycles by itself.
            let lost = report.streamGaps.filter { $0.length > .milliseconds(500) }
            #expect(lost.isEmpty, "\(lost)")
            #expect(report.length > .seconds(12))
        }
    }

    /// Expects that a source lacks nothing but the time of so many suspensions. What comes too late for its place is told as another
    /// cause; simulations measure less than a bound that holds on a busy machine.
    private func expectSuspensions(_ count: Int, of input: String, in report: RecordingReport) {
        let gaps = report.streamGaps.filter { $0.input == input }
        #expect(gaps.count { $0.cause == .interruption(.suspended) } == count, "\(gaps)")
        let others = gaps.filter { $0.cause == .interruption(.stalled) || $0.cause == .streamMissing }
        #expect(others.allSatisfy { $0.length < .milliseconds(100) }, "\(others)")
    }

    // PipeWire's sinks are not suspended for as long as something plays.
    @Test("A source that was suspended goes on in its place, and lacks nothing but the time of that")
    func isSuspended() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await server.loadNullSink("silence")
            try await server.makeMicrophone("near", hearing: "silence")
            // With a longer latency, it takes so long to go on that the server has answered before.
            let format = PCMFormat()
            let tone = Signal.sine(
                frequency: 1_000, peak: 0.1, rate: format.rate, channels: format.channels, frames: format.rate)
            let samples = Signal.data(Signal.int16(tone))
            try await Player.with(samples, format, into: "room", on: server, latency: 100) { _ in
                let report = try await report(
                    of: ["-d", "near", "--app", "pacat", "-o", "take.wav", "--events", "events.jsonl"], on: server
                ) { accrec in
                    try await eventually("a first frame") { server.events().contains(#""event":"started""#) }
                    for count in 1...2 { try await suspend("room", on: server, untilGap: count) }
                    accrec.signal(SIGINT)
                }
                expectSuspensions(2, of: "app:pacat", in: report)
            }
        }
    }

    @Test(
        "A recording that is paused goes on without a source that went meanwhile, whose channels stay its own",
        arguments: ServerKind.allCases, [["mic", "hall"], ["hall", "mic"]])
    func goesOnWithoutOne(kind: ServerKind, order: [String]) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            try await server.loadNullSink("silence")
            try await server.makeMicrophone("hall", hearing: "room")
            let mic = try await server.makeMicrophone("mic", hearing: "silence")
            let events = EventsFile(on: server)
            let sources = order.flatMap { ["-d", $0] } + ["--encoding", "s16", "-q"]
            let outputs = ["-o", "take.wav", "-o", "{input}.wav", "--events", events.url.path]
            try await server.record(sources + outputs, from: nil) { accrec in
                try await eventually("a first frame") { server.events().contains(#""event":"started""#) }
                _ = try await server.ctl("pause")
                let before = try await server.recordingStatus()?.frame ?? 0
                try await server.unloadModule(mic)
                _ = try await server.ctl("resume")
                try await eventually("what follows the pause") {
                    try await server.recordingStatus()?.frame ?? 0 > before + 48_000
                }
                try await server.makeMicrophone("mic", hearing: "silence")
                // PipeWire may have left out a cycle of the other one before.
                try await eventually("the gap") { server.events().contains(#""reason":"device_lost""#) }
                accrec.signal(SIGINT)
            }
            // Each is back once, by its own name.
            #expect(try events.lines("device_returned").count == 1)
            let take = try server.wav("take.wav")
            #expect(take.channels == 4)
            let first = order.firstIndex(of: "mic")! * 2
            let all = take.data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
            let channels = (0..<4).map { channel in stride(from: channel, to: all.count, by: 4).map { all[$0] } }
            // Its channels hold nothing of the other one, which goes on to the end.
            for channel in first..<first + 2 { #expect(channels[channel].allSatisfy { $0 == 0 }) }
            #expect(channels[2 - first].suffix(9_600).contains { $0 != 0 })
            #expect(try server.wav("mic.wav").channels == 2 && server.wav("hall.wav").channels == 2)
        }
    }

    @Test(
        "Channels have names in the first event, and in the files of a recording that was killed",
        arguments: ServerKind.allCases)
    func names(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            try await server.makeMicrophone("near", hearing: "room")
            let events = EventsFile(on: server)
            let outputs = ["-o", "take.wav", "-o", "near.wav,input=near", "--events", events.url.path]
            let sources = ["-d", "room.monitor", "-d", "near", "-c", "2", "-q"]
            try await server.record(sources + outputs, from: nil, status: nil) { accrec in
                try await events.wait(for: "started", accrec)
                try await eventually("audio in both files") {
                    ["take.wav", "near.wav"].allSatisfy { Self.size(of: server.file($0)) > 50_000 }
                }
                try await events.expectValid()
                accrec.signal(SIGKILL)
            }
            guard case .opened(_, let format)? = try events.lines("opened").first?.event else {
                Issue.record("no source was opened")
                return
            }
            #expect(format.inputs.map(\.name) == ["room.monitor", "near"])
            #expect(format.inputs.map(\.channels) == [[1, 2], [3, 4]])
            let names = ["room.monitor L", "room.monitor R", "near L", "near R"]
            for (file, names) in [("take.wav", names), ("near.wav", names.suffix(2))] {
                try await server.accrec(["repair", "--in-place", file])
                let lines = try await server.accrec(["info", file]).text.components(separatedBy: "\n")
                #expect(lines.filter { $0.hasPrefix("channel ") } == zip(1..., names).map { "channel \($0)  \($1)" })
            }
        }
    }

    @Test(
        "A source that is not there is silent until it comes, or refused where all are required",
        arguments: ServerKind.allCases)
    func comesLater(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            let options = ["--inputs", "room.monitor,near", "-c", "1", "-o", "take.wav"]
            let refusal = try await server.record(options + ["--require", "all"], from: nil, status: 8)
            #expect(refusal.standardError.contains("cannot record from 'near': no such source"))
            let report = try await report(
                of: options + ["--gain", "near=-6dB", "--events", "events.jsonl"], on: server
            ) {
                accrec in
                try await eventually("a first frame") { server.events().contains(#""event":"started""#) }
                #expect(server.events().contains("input_absent"))
                try await server.makeMicrophone("near", hearing: "room")
                try await eventually("the gap") { server.events().contains(#""input":"near""#) }
                accrec.signal(SIGINT)
            }
            let gaps = report.streamGaps
            try #require(gaps.first?.cause == .interruption(.deviceLost), "\(gaps)")
            // Its first fragment may be older than what was recorded when it came, and is missing then, too.
            #expect(gaps.count <= 2 && gaps.allSatisfy { $0.input == "near" }, "\(gaps)")
            // From the first frame on.
            #expect(abs((gaps[0].offset - gaps[0].length) / .seconds(1)) < 0.001)
            #expect(report.inputs.map(\.source.name) == ["room.monitor", "near"])
            #expect(report.outputs.allSatisfy { $0.processingSteps.contains(.inputsAmplified) })
        }
    }

    @Test("Takes of a batch may have several sources, which a row lists")
    func batches() async throws {
        try await PrivateServer.withRoom(.pulseAudio, playing: .counter) { server in
            try await server.makeMicrophone("near", hearing: "room")
            try server.write(
                """
                [[take]]
                output = "take.wav"
                max = 1
                device = ["near", "room.monitor"]
                """, to: "takes.toml")
            try await server.accrec(["batch", "takes.toml", "-c", "1", "-q"])
            #expect(try server.wav().channels == 2 && server.wav().frames == 48_000)
        }
    }

    @Test("After a pause, each track has the channels of its source again", arguments: ServerKind.allCases)
    func goesOnAfterAPause(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            try await server.makeMicrophone("near", hearing: "room")
            let report = try await report(
                of: [
                    "-d", "room.monitor", "-d", "near", "--select", "1", "-c", "1", "--encoding", "s16", "-o",
                    "take.wav",
                    "--events", "events.jsonl",
                ], on: server
            ) { accrec in
                try await eventually("a first frame") { server.events().contains(#""event":"started""#) }
                try await server.accrec(["ctl", "split"])
                try await server.accrec(["ctl", "pause"])
                try await server.accrec(["ctl", "resume"])
                try await eventually("a second of the next file") {
                    (try? server.wav("take-002.wav").frames) ?? 0 > 48_000
                        || Self.size(of: server.file("take-002.wav")) > 300_000
                }
                accrec.signal(SIGINT)
            }
            #expect(report.channelCount == 2 && report.framesLost == 0, "\(report.gaps)")
            let samples = try server.wav("take-002.wav").data.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
            let first = stride(from: samples.count / 2 & ~1, to: samples.count, by: 2).map { samples[$0] }
            // The counter of the first channel, unless the server has left out a cycle.
            let steps = zip(first, first.dropFirst()).filter { $1 == $0 &+ 1 }.count
            #expect(steps > first.count * 9 / 10, "\(steps) of \(first.count)")
        }
    }

    private static func size(of file: URL) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
    }

    @Test("What the desktop plays is recorded from whichever sink is the default", arguments: ServerKind.allCases)
    func followsTheDesktop(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            try await server.loadNullSink("hall", PCMFormat())
            _ = try await server.pactl("set-default-sink", "room")
            let report = try await report(
                of: ["--desktop", "-o", "take.wav", "--events", "events.jsonl"], on: server
            ) { accrec in
                try await eventually("a first frame") {
                    server.events().contains(#""event":"started""#)
                }
                _ = try await server.pactl("set-default-sink", "hall")
                try await eventually("the other sink") {
                    server.events().split(separator: "\n").contains {
                        $0.contains(#""event":"resumed""#) && $0.contains("hall.monitor")
                    }
                }
                accrec.signal(SIGINT)
            }
            #expect(report.source.name == "hall.monitor" && report.ending == .finished)
        }
    }
}

extension PrivateServer {
    /// What the events file has so far.
    fileprivate func events() -> String { (try? text("events.jsonl")) ?? "" }
}
