import Foundation
import TestSupport
import Testing

/// Processing by the server is reported once with a remedy, and the report says whether the recording is bit-exact.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ServerProcessingTests {
    /// Records for a while, and returns the messages.
    private static func messages(
        of options: [String], from source: String = "room.monitor", for length: String = "0.3", on server: PrivateServer
    ) async throws -> String {
        try await server.record(["-o", "-", "--max", length] + options, from: source).standardError
    }

    private static func count(_ text: String, in whole: String) -> Int {
        whole.components(separatedBy: text).count - 1
    }

    private static let native = ["-r", "native", "-c", "native", "--encoding", "native"]

    @Test("What was converted, or bit-exact: yes, or no with the reason", arguments: ServerKind.allCases)
    func saysWhetherTheTakeIsBitExact(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let native = try await Self.messages(of: Self.native, on: server)
            #expect(native.contains("\nbit-exact yes\n"))
            let converted = try await Self.messages(of: ["-r", "44100", "-c", "1", "--encoding", "f32"], on: server)
            #expect(converted.contains("\nconverted 2 → 1 channel, 48000 → 44100 Hz\n"), "\(converted)")
            #expect(!converted.contains("bit-exact"))

            try await server.pactl("set-source-volume", "room.monitor", "50%")
            let quiet = try await Self.messages(of: Self.native, on: server)
            #expect(quiet.contains("\nbit-exact no: source volume 50 %\n"), "\(quiet)")
            #expect(!quiet.contains("pactl"))
            let measured = try await Self.messages(of: ["-m", "measurement"], on: server)
            #expect(Self.count("the volume of '", in: measured) == 1)
            #expect(measured.contains("is 50 %, so its samples are changed. Set it to 100 %: pactl "))
            #expect(try await server.accrec(["devices"]).text.contains("[volume 50 %]"))
        }
    }

    /// A sink, and the effect of a volume of 50 % on its monitor.
    private struct Sink {
        let name: String
        let bitExact: String
        /// The peak of a signal that is played at -6.0 dBFS.
        let peak: String
        let isSilencedByMute: Bool
    }

    /// Creates the kinds of sinks that a server has without hardware.
    private static func loadSinks(on server: PrivateServer) async throws -> [Sink] {
        try await server.loadNullSink("room")
        let room = Sink(name: "room", bitExact: "no: sink volume", peak: "-24.1", isSilencedByMute: true)
        switch server.kind {
        case .pulseAudio:
            // One whose volume is applied elsewhere, like a sound card's, and one that shares its master's volume.
            for (name, isShared) in [("card", "no"), ("filter", "yes")] {
                try await server.loadModule(
                    "module-virtual-sink", ["sink_name=\(name)", "master=room", "use_volume_sharing=\(isShared)"])
            }
            return [
                room,
                Sink(name: "card", bitExact: "perhaps not: sink volume", peak: "-6.0", isSilencedByMute: true),
                Sink(name: "filter", bitExact: "yes", peak: "-6.0", isSilencedByMute: true),
            ]
        case .pipeWire:
            try await server.loadNullSink("raw", properties: ["monitor.channel-volumes": "false"])
            return [room, Sink(name: "raw", bitExact: "yes", peak: "-6.0", isSilencedByMute: false)]
        }
    }

    @Test("A sink's volume and mute are reported if they affect its monitor", arguments: ServerKind.allCases)
    func saysWhatASinkDoesToItsMonitor(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            for sink in try await Self.loadSinks(on: server) {
                let monitor = "\(sink.name).monitor"
                let half = Signal.data([Int16](repeating: 16_384, count: 96_000))
                try await server.pactl("set-sink-volume", sink.name, "50%")
                try await Player.with(half, into: sink.name, on: server) { _ in
                    let plain = try await Self.messages(of: Self.native, from: monitor, for: "0.6", on: server)
                    #expect(plain.contains("\nbit-exact \(sink.bitExact)"), "\(plain)")
                    #expect(plain.contains(": peak \(sink.peak) dBFS"), "\(plain)")
                    #expect(!plain.contains("pactl"), "\(plain)")
                    let measured = try await Self.messages(of: ["-m", "measurement"], from: monitor, on: server)
                    let remedy = "Set it to 100 %: pactl set-sink-volume \(sink.name) 100%"
                    #expect(Self.count(remedy, in: measured) == (sink.bitExact == "yes" ? 0 : 1), "\(measured)")

                    try await server.pactl("set-sink-volume", sink.name, "100%")
                    try await server.pactl("set-sink-mute", sink.name, "1")
                    let muted = try await Self.messages(of: Self.native, from: monitor, on: server)
                    let unmute = "Unmute it: pactl set-sink-mute \(sink.name) 0"
                    #expect(Self.count(unmute, in: muted) == (sink.isSilencedByMute ? 1 : 0), "\(muted)")
                    #expect(
                        muted.contains("\nbit-exact no: muted by the server\n") == sink.isSilencedByMute,
                        "\(muted)")
                    #expect(muted.contains("peak −∞ dBFS") == sink.isSilencedByMute, "\(muted)")
                }
            }
        }
    }

    @Test("On PipeWire a source with a rate other than the graph's may have been resampled")
    func doesNotClaimWhatItCannotKnow() async throws {
        try await PrivateServer.withRoom(.pipeWire, PCMFormat(rate: 96_000)) { server in
            let native = try await Self.messages(of: Self.native, on: server)
            #expect(
                native.contains("\nbit-exact perhaps not: possibly resampled by PipeWire"), "\(native)")
        }
    }

    @Test("A muted source is reported once, with a remedy", arguments: ServerKind.allCases)
    func reportsAMutedSource(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.pactl("set-source-mute", "room.monitor", "1")
            let muted = try await Self.messages(of: Self.native, on: server)
            #expect(Self.count("Unmute it: pactl set-source-mute room.monitor 0", in: muted) == 1, "\(muted)")
            #expect(muted.contains("\nbit-exact no: muted by the server\n"))
        }
    }

    @Test(
        "Muting the source, or the sink that it monitors, during a recording is also reported",
        arguments: ServerKind.allCases, [["set-source-mute", "room.monitor"], ["set-sink-mute", "room"]])
    func reportsALaterMute(kind: ServerKind, mute: [String]) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.record(["-o", "take.wav"], status: nil) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                try await server.pactl(mute[0], mute[1], "1")
                try await accrec.waitForStandardError(containing: "Unmute it: pactl \(mute[0]) \(mute[1]) 0")
                accrec.signal(SIGINT)
            }
        }
    }

    @Test("From where to where the source was muted is reported", arguments: ServerKind.allCases)
    func reportsWhereItWasMuted(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind, playing: .counter) { server in
            let recording = TestRecording(on: server)
            let result = try await server.record(recording, with: ["--report", "report.json"]) { accrec in
                for time in 1...2 {
                    try await recording.wait(forAnother: 0.25, accrec)
                    try await server.pactl("set-source-mute", "room.monitor", "1")
                    let message = time == 1 ? "Unmute it" : "is muted again"
                    try await accrec.waitForStandardError(containing: message)
                    try await recording.wait(forAnother: 0.25, accrec)
                    try await server.pactl("set-source-mute", "room.monitor", "0")
                    try await eventually("the message") {
                        Self.count("no longer muted", in: accrec.standardError) == time
                    }
                }
                try await recording.finish(accrec, after: 0.25)
            }
            let report = try JSONDecoder().decode(
                WrittenReport.self, from: Data(contentsOf: server.file("report.json"))
            ).recording
            #expect(report.mutes.map(\.source) == ["room.monitor", "room.monitor"])
            let frames = report.mutes.map(\.frames)
            #expect(
                frames.allSatisfy { !$0.isEmpty && $0.lowerBound > 0 && $0.upperBound < report.frameCount },
                "\(frames) of \(report.frameCount)")
            #expect(result.standardError.contains("\nMUTED     0:0"), "\(result.standardError)")
        }
    }

    @Test(
        "A stream that the server muted is reported, also when it is muted again as remembered",
        arguments: ServerKind.allCases)
    func reportsAMutedStream(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            if kind == .pulseAudio { try await server.loadModule("module-stream-restore") }
            try await server.loadNullSink("room")
            try await server.record(["-o", "first.wav"], status: nil) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                let streams = try await server.pactl("list", "short", "source-outputs")
                let index = try #require(streams.split(separator: "\t").first)
                try await server.pactl("set-source-output-mute", String(index), "1")
                try await accrec.waitForStandardError(containing: "Unmute it: pactl set-source-output-mute \(index) 0")
                accrec.signal(SIGINT)
            }
            let second = try await Self.messages(of: Self.native, on: server)
            #expect(Self.count("the server muted this recording", in: second) == 1, "\(second)")
        }
    }

    @Test("Measurement mode warns about a filter source", arguments: ServerKind.allCases)
    func warnsOfAFilter(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.makeMicrophone("near", hearing: "room")
            let measured = try await Self.messages(of: ["-m", "measurement"], from: "near", on: server)
            #expect(
                Self.count("is a filter that the server derives from another source.", in: measured) == 1, "\(measured)"
            )
            let plain = try await Self.messages(of: Self.native, from: "near", on: server)
            #expect(!plain.contains("is a filter that"))
            #expect(plain.contains("bit-exact no: the source is a filter"))
        }
    }

    @Test("Ten seconds of digital silence at the start are reported, later silence is not")
    func reportsSilence() async throws {
        try await ServerKind.allCases.concurrentForEach { kind in
            try await PrivateServer.withRoom(kind) { server in
                try await server.loadNullSink("stage")
                let sound = Signal.data([Int16](repeating: 1, count: 96_000))
                try await Player.with(sound, into: "stage", on: server) { _ in
                    async let silent = Self.messages(of: [], for: "11", on: server)
                    async let heard = Self.messages(of: [], from: "stage.monitor", for: "11", on: server)
                    let (silentReport, loudReport) = try await (silent, heard)
                    #expect(Self.count("10 seconds of digital silence so far.", in: silentReport) == 1)
                    #expect(!loudReport.contains("silence"))
                }
            }
        }
    }
}
