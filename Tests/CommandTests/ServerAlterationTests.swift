import Foundation
import TestSupport
import Testing

/// What a server does to the sound on its way is said, once, with the remedy; and whether the take is bit-exact.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ServerAlterationTests {
    private static func record(
        _ arguments: [String], from source: String = "room.monitor", for length: String = "0.3",
        on server: PrivateServer
    ) async throws -> String {
        let result = try await AccrecProcess.run(
            ["record", "-o", "-", "-d", source, "--max", length] + arguments, on: server)
        #expect(result.end == .exit(0), "\(result.standardError)")
        return result.standardError
    }

    private static func count(_ text: String, in whole: String) -> Int {
        whole.components(separatedBy: text).count - 1
    }

    private static let native = ["-r", "native", "-c", "native", "--encoding", "native"]

    @Test("bit-exact: yes or no, because …", arguments: ServerKind.allCases)
    func saysWhetherTheTakeIsBitExact(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let native = try await Self.record(Self.native, on: server)
            #expect(native.contains("\nbit-exact yes\n"))
            let converted = try await Self.record(["-r", "44100", "-c", "1", "--encoding", "f32"], on: server)
            #expect(
                converted.contains(
                    "\nbit-exact no, because 2 channels were mixed to 1, and the rate was converted from 48000 to 44100 Hz\n"
                ))

            try await server.pactl("set-source-volume", "room.monitor", "50%")
            let quiet = try await Self.record(Self.native, on: server)
            #expect(quiet.contains("\nbit-exact no, because the source's volume was 50 %\n"), "\(quiet)")
            #expect(!quiet.contains("pactl"))
            let measured = try await Self.record(["-m", "measurement"], on: server)
            #expect(Self.count("the volume of '", in: measured) == 1)
            #expect(measured.contains("is 50 %, so its samples are not as they were. Set it to 100 %: pactl "))
            #expect(try await AccrecProcess.run(["devices"], on: server).text.contains("[volume 50 %]"))
        }
    }

    /// A sink, and what its volume of 50 % does to what its monitor delivers.
    private struct Sink {
        let name: String
        let bitExact: String
        /// Of what is played at -6.0 dBFS.
        let peak: String
        let isSilencedByMute: Bool
    }

    /// Makes the kinds of sinks that a server has without hardware.
    private static func loadSinks(on server: PrivateServer) async throws -> [Sink] {
        try await server.loadNullSink("room", isPrompt: true)
        let room = Sink(name: "room", bitExact: "no, because the sink's", peak: "-24.1", isSilencedByMute: true)
        switch server.kind {
        case .pulseAudio:
            // One that has its volume applied elsewhere, as a sound card does, and one that has its master's.
            for (name, isShared) in [("card", "no"), ("filter", "yes")] {
                try await server.loadModule(
                    "module-virtual-sink", ["sink_name=\(name)", "master=room", "use_volume_sharing=\(isShared)"])
            }
            return [
                room,
                Sink(name: "card", bitExact: "perhaps not, because the sink's", peak: "-6.0", isSilencedByMute: true),
                Sink(name: "filter", bitExact: "yes", peak: "-6.0", isSilencedByMute: true),
            ]
        case .pipeWire:
            try await server.loadNullSink("raw", properties: ["monitor.channel-volumes": "false"])
            return [room, Sink(name: "raw", bitExact: "yes", peak: "-6.0", isSilencedByMute: false)]
        }
    }

    @Test("A sink's volume and mute are told where its monitor has them", arguments: ServerKind.allCases)
    func saysWhatASinkDoesToItsMonitor(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            for sink in try await Self.loadSinks(on: server) {
                let monitor = "\(sink.name).monitor"
                let half = Signal.data([Int16](repeating: 16_384, count: 96_000))
                try await server.pactl("set-sink-volume", sink.name, "50%")
                try await Player.with(half, into: sink.name, on: server) { _ in
                    let plain = try await Self.record(Self.native, from: monitor, for: "0.6", on: server)
                    #expect(plain.contains("\nbit-exact \(sink.bitExact)"), "\(plain)")
                    #expect(plain.contains(": peak \(sink.peak) dBFS"), "\(plain)")
                    #expect(!plain.contains("pactl"), "\(plain)")
                    let measured = try await Self.record(["-m", "measurement"], from: monitor, on: server)
                    let remedy = "Set it to 100 %: pactl set-sink-volume \(sink.name) 100%"
                    #expect(Self.count(remedy, in: measured) == (sink.bitExact == "yes" ? 0 : 1), "\(measured)")

                    try await server.pactl("set-sink-volume", sink.name, "100%")
                    try await server.pactl("set-sink-mute", sink.name, "1")
                    let muted = try await Self.record(Self.native, from: monitor, on: server)
                    let unmute = "Unmute it: pactl set-sink-mute \(sink.name) 0"
                    #expect(Self.count(unmute, in: muted) == (sink.isSilencedByMute ? 1 : 0), "\(muted)")
                    #expect(
                        muted.contains("\nbit-exact no, because the server muted it\n") == sink.isSilencedByMute,
                        "\(muted)")
                    #expect(muted.contains("peak -120.0 dBFS") == sink.isSilencedByMute, "\(muted)")
                }
            }
        }
    }

    @Test("On PipeWire a source of another rate than the graph's may have been resampled")
    func doesNotClaimWhatItCannotKnow() async throws {
        try await PrivateServer.with(.pipeWire) { server in
            try await server.loadNullSink("room", PCMFormat(rate: 96_000))
            let native = try await Self.record(Self.native, on: server)
            #expect(
                native.contains("\nbit-exact perhaps not, because PipeWire's graph may run at 48000 Hz"), "\(native)")
        }
    }

    @Test("A muted source is told once, with the remedy", arguments: ServerKind.allCases)
    func tellsOfAMutedSource(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await server.pactl("set-source-mute", "room.monitor", "1")
            let muted = try await Self.record(Self.native, on: server)
            #expect(Self.count("Unmute it: pactl set-source-mute room.monitor 0", in: muted) == 1, "\(muted)")
            #expect(muted.contains("\nbit-exact no, because the server muted it\n"))
        }
    }

    @Test(
        "A source, and the sink whose monitor it is, that are muted in mid-take are told too",
        arguments: ServerKind.allCases, [["set-source-mute", "room.monitor"], ["set-sink-mute", "room"]])
    func tellsOfALaterMute(kind: ServerKind, mute: [String]) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            let path = server.directory.appending(path: "take.wav").path
            try await AccrecProcess.with(["record", "-o", path, "-d", "room.monitor"], on: server) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                try await server.pactl(mute[0], mute[1], "1")
                try await accrec.waitForStandardError(containing: "Unmute it: pactl \(mute[0]) \(mute[1]) 0")
                accrec.signal(SIGINT)
                _ = try await accrec.wait()
            }
        }
    }

    @Test(
        "A stream that the server muted, and mutes again as it was muted the last time", arguments: ServerKind.allCases)
    func tellsOfAMutedStream(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            if kind == .pulseAudio { try await server.loadModule("module-stream-restore") }
            try await server.loadNullSink("room")
            let path = server.directory.appending(path: "first.wav").path
            try await AccrecProcess.with(["record", "-o", path, "-d", "room.monitor"], on: server) { accrec in
                try await accrec.waitForStandardError(containing: "recording from")
                let streams = try await server.pactl("list", "short", "source-outputs")
                let index = try #require(streams.split(separator: "\t").first)
                try await server.pactl("set-source-output-mute", String(index), "1")
                try await accrec.waitForStandardError(containing: "Unmute it: pactl set-source-output-mute \(index) 0")
                accrec.signal(SIGINT)
                _ = try await accrec.wait()
            }
            let second = try await Self.record(Self.native, on: server)
            #expect(Self.count("the server has muted this recording", in: second) == 1, "\(second)")
        }
    }

    @Test("Measurement warns of a source that is a filter", arguments: ServerKind.allCases)
    func warnsOfAFilter(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room")
            try await server.makeMicrophone("near", hearing: "room")
            let measured = try await Self.record(["-m", "measurement"], from: "near", on: server)
            #expect(Self.count("is a filter: the server made it of another source.", in: measured) == 1, "\(measured)")
            let plain = try await Self.record(Self.native, from: "near", on: server)
            #expect(!plain.contains("is a filter:"))
            #expect(plain.contains("bit-exact no, because the source is a filter of the server"))
        }
    }

    @Test("Ten seconds of digital silence at the start are told, later silence is not")
    func tellsOfSilence() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for kind in ServerKind.allCases {
                group.addTask {
                    try await PrivateServer.with(kind) { server in
                        try await server.loadNullSink("room")
                        try await server.loadNullSink("stage")
                        try await Player.with(
                            Signal.data([Int16](repeating: 1, count: 96_000)), into: "stage", on: server
                        ) { _ in
                            async let silent = Self.record([], for: "11", on: server)
                            async let heard = Self.record([], from: "stage.monitor", for: "11", on: server)
                            let (told, untold) = try await (silent, heard)
                            #expect(Self.count("10 seconds of digital silence so far.", in: told) == 1)
                            #expect(!untold.contains("silence"))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
