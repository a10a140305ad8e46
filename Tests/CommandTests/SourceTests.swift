import ACCAudioRecorder
import Foundation
import TestSupport
import Testing

/// Selection and listing of sources.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SourceTests {
    @Test("D-05, F-08: the default, PULSE_SOURCE, and abbreviations of a source", arguments: ServerKind.allCases)
    func takesTheRightSource(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.makeMicrophone("near", hearing: "room")
            try await server.makeMicrophone(
                "far", hearing: "room", properties: ["device.description": "In the corner", "device.bus": "bluetooth"])
            try await server.setDefaultSource("near")
            let index = try #require(try await Self.sources(of: server).first { $0.source.name == "far" }).source.id
            let cases: [(arguments: [String], environment: [String: String], source: String)] = [
                ([], [:], "near"),
                ([], ["PULSE_SOURCE": "far"], "far"),
                (["-d", "near"], ["PULSE_SOURCE": "far"], "near"),
                (["-d", "room.monitor"], [:], "room.monitor"),
                (["-d", "@DEFAULT_SOURCE@"], [:], "near"),
                (["-d", "#\(index)"], [:], "far"),
                (["-d", "default"], [:], "near"),
                (["-d", "CORNER"], [:], "far"),
                (["-d", "ear"], [:], "near"),
                ([], ["PULSE_SOURCE": "corner"], "far"),
            ]
            for recording in cases {
                let result = try await server.record(
                    Self.recording + recording.arguments, from: nil, environment: recording.environment)
                #expect(result.standardError.contains("source    \(recording.source): 48000 Hz, 2 channels, "))
            }
        }
    }

    @Test("D-05: an ambiguous abbreviation, and a number that matches no source", arguments: ServerKind.allCases)
    func refusesWhatFitsNoneOrSeveral(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.makeMicrophone("near", hearing: "room", properties: ["device.description": "A desk mic"])
            try await server.makeMicrophone("far", hearing: "room", properties: ["device.description": "A wall mic"])
            let several = try await server.record(Self.recording, from: "mic", status: 8)
            #expect(
                several.standardError == "accrec: cannot record from 'mic': it matches 2 sources. "
                    + "Name one of:\n        A desk mic (near)\n        A wall mic (far)\n")
            let none = try await server.record(Self.recording, from: "#4000000", status: 8)
            let lines = none.standardError.split(separator: "\n")
            #expect(lines.first == "accrec: cannot record from '4000000': no such source. Name one of:")
            #expect(lines.count == 4 && lines.last?.hasSuffix(" (room.monitor)") == true, "\(lines)")
        }
    }

    @Test(
        "D-05, D-06: the automatic order is built-in, PCI, USB; never Bluetooth or a monitor",
        arguments: ServerKind.allCases)
    func takesTheBestUnasked(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let headset = try await server.makeMicrophone(
                "headset", hearing: "room", properties: ["device.bus": "bluetooth"])
            let microphones: [(name: String, words: String, properties: [String: String])] = [
                ("plain", "virtual", [:]),
                ("usb", "USB", ["device.bus": "usb"]),
                ("card", "PCI", ["device.bus": "pci"]),
                ("inside", "built in", ["device.bus": "pci", "device.form_factor": "internal"]),
            ]
            var modules: [Int] = []
            for microphone in microphones {
                modules.append(
                    try await server.makeMicrophone(
                        microphone.name, hearing: "room", properties: microphone.properties))
            }

            try await server.setDefaultSource("headset")
            for (microphone, module) in zip(microphones, modules).reversed() {
                let devices = try await server.accrec(["devices"])
                let marked = devices.text.split(separator: "\n").filter { $0.prefix(2).contains { $0 != " " } }
                #expect(
                    marked.contains {
                        $0.hasPrefix("> ") && $0.contains("  \(microphone.name)  [\(microphone.words)]")
                    }, "\(devices.text)")
                #expect(marked.contains { $0.hasPrefix(" * ") && $0.contains("  headset  [Bluetooth]") })
                #expect(
                    devices.text.hasSuffix(
                        "\nrecorded by default: \(microphone.words); the server's default is Bluetooth\n"))
                try await Self.expectRecording([], from: microphone.name, on: server)
                try await server.unloadModule(module)
                try await Self.waitUntilGone(microphone.name, from: server)
            }

            let refused = try await server.record(Self.recording, from: nil, status: 8)
            #expect(refused.standardError.contains("give --allow-bluetooth or --allow-monitor, or name one of:\n"))
            try await Self.expectRecording(["--allow-bluetooth"], from: "headset", on: server)
            try await Self.expectRecording(["--allow-monitor"], from: "room.monitor", on: server)

            try await server.unloadModule(headset)
            try await Self.waitUntilGone("headset", from: server)
            try await server.record(Self.recording + ["--allow-bluetooth"], from: nil, status: 8)
            try await Self.expectRecording(["--allow-monitor"], from: "room.monitor", on: server)
        }
    }

    @Test("D-06: a microphone is preferred over a default that is a monitor", arguments: ServerKind.allCases)
    func takesNoMonitorUnasked(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            // A filter comes last, whatever its properties; a pipe source is not a filter.
            try await server.makeMicrophone("filter", hearing: "room", properties: ["device.form_factor": "internal"])
            try await server.loadModule(
                "module-pipe-source",
                ["source_name=usb", "file=\(server.directory.path)/usb", "source_properties=\"device.bus='usb'\""])
            try await server.waitForSource("usb")
            try await server.setDefaultSource("room.monitor")
            let devices = try await server.accrec(["devices"])
            #expect(devices.text.contains(#/ \* +\d+  room.monitor  \[monitor\]\n/#))
            #expect(devices.text.contains(#/> +\d+  usb  \[USB\]\n/#))
            #expect(devices.text.hasSuffix("\nrecorded by default: USB; the server's default is a monitor\n"))
            let named = try await server.accrec(["devices"], environment: ["PULSE_SOURCE": "room.monitor"])
            #expect(named.text.contains(#/>\*  ?\d+  room.monitor  \[monitor\]\n/#))
            #expect(named.text.hasSuffix("\nrecorded by default: named by PULSE_SOURCE\n"))
        }
    }

    @Test("D-07: accrec devices", arguments: ServerKind.allCases)
    func listsTheSources(kind: ServerKind) async throws {
        try await PrivateServer.with(kind) { server in
            try await server.loadNullSink("room", properties: ["device.description": "A room"])
            try await server.makeMicrophone(
                "near", hearing: "room", properties: ["device.description": "A near microphone"])
            try await server.setDefaultSource("near")
            let result = try await server.accrec(["devices"])
            // PipeWire's sources are all 32-bit float.
            let format = kind == .pulseAudio ? "s16le" : "float32le"
            let sources = try await Self.sources(of: server)
            let near = try #require(sources.first { $0.source.name == "near" }).source.id
            #expect(result.text.contains(#/>\* +\d+  near  \[virtual\]  \[filter\]\n/#), "\(result.text)")
            #expect(result.text.contains(" \(near)  near "))
            #expect(result.text.contains("   A near microphone: 48000 Hz, 2 channels, \(format), "))
            #expect(result.text.contains(#/   +\d+  room.monitor  \[monitor\]\n/#))
            #expect(result.text.hasSuffix("\nrecorded by default: the server's default\n"))
            #expect(result.standardError.isEmpty)
        }
    }

    @Test("D-07: accrec devices --json", arguments: ServerKind.allCases)
    func listsTheSourcesAsJSON(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.makeMicrophone(
                "near", hearing: "room",
                properties: ["device.description": "Near / ä", "device.bus": "usb"])
            try await server.makeMicrophone("headset", hearing: "room", properties: ["device.bus": "bluetooth"])
            try await server.setDefaultSource("headset")
            try await server.pactl("set-source-volume", "near", "50%", "100%")
            try await server.pactl("set-source-mute", "near", "1")

            let sources = try await eventually("volume of near") {
                let sources = try await Self.sources(of: server)
                return sources.contains { $0.source.volume.percentages == [50, 100] && $0.source.isMuted }
                    ? sources : nil
            }
            let near = try #require(sources.first { $0.source.name == "near" })
            #expect(near.source.description == "Near / ä")
            #expect(near.source.kind == .usb && near.source.isFilter && !near.isMonitor)
            #expect(near.isChosen && !near.source.isDefault && near.source.isAvailable)
            let format = kind == .pulseAudio ? SampleFormat.s16LE : .float32LE
            #expect(near.source.sampleSpec == SampleSpec(format: format, sampleRate: 48_000, channelCount: 2))
            #expect(near.source.channelMap == ChannelMap(names: "front-left,front-right"))
            let headset = try #require(sources.first { $0.source.name == "headset" })
            #expect(headset.source.kind == .bluetooth && headset.source.isDefault && !headset.isChosen)
            #expect(!headset.source.isMuted && headset.source.volume.percentages == [100, 100])
            let monitor = try #require(sources.first { $0.source.name == "room.monitor" })
            #expect(monitor.isMonitor && monitor.source.kind == .monitor && !monitor.source.isFilter)
            #expect(Set(sources.map(\.source.id)).count == sources.count)
        }
    }

    @Test("D-07: accrec devices --watch reports each change until a signal", arguments: ServerKind.allCases)
    func watchesTheSources(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            try await server.makeMicrophone("near", hearing: "room", properties: ["device.bus": "usb"])
            try await server.setDefaultSource("near")
            let far = try await server.makeMicrophone("far", hearing: "room", properties: ["device.bus": "bluetooth"])
            let result = try await server.accrec(["devices", "--watch"], within: 10) { watch in
                try await Self.wait(for: "recorded by default: the server's default\n", from: watch)
                // A change of the default comes first, because on its own it is a server event, not a source event.
                try await server.setDefaultSource("far")
                try await Self.wait(for: " default far\n", from: watch)
                try await Self.wait(
                    for: " recorded by default: near (USB; the server's default is Bluetooth)\n", from: watch)
                try await server.pactl("set-source-mute", "near", "1")
                try await Self.wait(for: "muted\n", from: watch)
                try await server.unloadModule(far)
                try await Self.wait(for: " removed far\n", from: watch)
                try await Self.wait(for: " recorded by default: near (the server's default)\n", from: watch)
                try await server.makeMicrophone("new", hearing: "room")
                try await Self.wait(for: " added new: ", from: watch)
                watch.signal(SIGINT)
            }
            #expect(result.standardError.isEmpty)

            // Each change is reported once, with a time stamp.
            let lines = result.text.split(separator: "\n").drop { !$0.hasPrefix("recorded by default: ") }.dropFirst()
            #expect(lines.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [a-z]+ .+/) != nil })
            let changes = lines.map { $0.split(separator: " ").dropFirst(2).joined(separator: " ") }
            for what in ["default far", "removed far", "added new:"] {
                #expect(changes.count { $0.hasPrefix(what) } == 1, "\(changes)")
            }
            #expect(changes.count { $0.hasPrefix("changed near:") && $0.contains("muted") } == 1, "\(changes)")
        }
    }

    @Test("D-07: accrec devices --watch --json, until the server ends", arguments: ServerKind.allCases)
    func watchesTheSourcesAsJSON(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let result = try await server.accrec(["devices", "--watch", "--json"], status: 9, within: 10) { watch in
                try await Self.wait(for: "\n", from: watch)
                try await server.makeMicrophone("near", hearing: "room", properties: ["device.bus": "usb"])
                try await server.setDefaultSource("near")
                try await Self.wait(for: #""event":"chosen","reason":"the server's default""#, from: watch)
                try await server.kill()
            }
            #expect(result.standardError.hasPrefix("accrec: cannot watch the sources: Connection terminated. "))

            let events = try result.text.split(separator: "\n").map { line in
                try JSONDecoder().decode(Event.self, from: Data(line.utf8))
            }
            #expect(events.first?.event == "sources")
            #expect(events.first?.sources?.contains { $0.source.name == "room.monitor" } == true)
            #expect(events.first?.reason?.hasPrefix("none; ") == true)
            let added = try #require(events.first { $0.event == "added" }?.source)
            #expect(added.source.name == "near" && added.source.kind == .usb)
            let standard = try #require(events.first { $0.event == "default" }?.source)
            #expect(standard.source.name == "near" && standard.source.isDefault)
            let chosen = try #require(events.first { $0.event == "chosen" }?.source)
            #expect(chosen.source.name == "near" && chosen.isChosen)
            let times = events.map(\.time)
            #expect(times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil })
            #expect(times == times.sorted())
        }
    }
}

// MARK: - JSON output

extension SourceTests {
    /// A source as it is listed: the library's, and what the list adds.
    private struct ListedSource: Decodable {
        let source: AudioSource
        let isChosen: Bool
        let isMonitor: Bool

        private enum Key: String, CodingKey {
            case isChosen = "is_chosen"
            case isMonitor = "is_monitor"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            source = try AudioSource(from: decoder)
            isChosen = try container.decode(Bool.self, forKey: .isChosen)
            isMonitor = try container.decode(Bool.self, forKey: .isMonitor)
        }
    }

    private struct Event: Decodable {
        let event: String
        let time: String
        let sources: [ListedSource]?
        let source: ListedSource?
        let reason: String?
    }

    private static let recording = ["-o", "take.wav", "--force", "--max", "0.1"]

    private static func sources(of server: PrivateServer) async throws -> [ListedSource] {
        try JSONDecoder().decode(
            [ListedSource].self, from: try await server.accrec(["devices", "--json"]).standardOutput)
    }

    private static func expectRecording(_ options: [String], from source: String, on server: PrivateServer) async throws
    {
        let result = try await server.record(recording + options, from: nil)
        #expect(result.standardError.contains("source    \(source): "))
    }

    private static func waitUntilGone(_ name: String, from server: PrivateServer) async throws {
        try await eventually("end of \(name)") { try await !sources(of: server).contains { $0.source.name == name } }
    }

    private static func wait(for text: String, from process: ChildProcess) async throws {
        let output = { String(decoding: process.standardOutput, as: UTF8.self) }
        try await eventually("\"\(text)\" in \(output()), \(process.standardError)") { output().contains(text) }
    }
}
