import Foundation
import TestSupport
import Testing

/// GUANO metadata in files (`--guano`), as another program reads it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GUANOFileTests {
    private static let options = [
        "--guano", "Make=AudioMoth", "--guano", "Loc Position=47.3769 8.5417", "--guano", "User|Site=pond ä",
        "--guano", "Species Manual ID=Myotis myotis",
    ]

    /// The fields of a file, by a reader of its own: from chunk to chunk, as the specification says.
    private func fields(_ name: String, on server: PrivateServer) async throws -> [String: String] {
        let script = """
            import json, struct, sys
            data = open(sys.argv[1], "rb").read()
            assert data[:4] in (b"RIFF", b"RF64") and data[8:12] == b"WAVE"
            place, found, names = 12, [], []
            while place + 8 <= len(data):
                name, size = struct.unpack("<4sI", data[place:place + 8])
                names.append(name)
                if name == b"guan":
                    found.append(data[place + 8:place + 8 + size].decode("utf-8"))
                if name == b"data":
                    break
                place += 8 + size + size % 2
            assert len(found) == 1, names
            lines = [line.strip(" \\t\\r\\0") for line in found[0].split("\\n")]
            pairs = [[part.strip() for part in line.split(":", 1)] for line in lines if line]
            assert pairs[0] == ["GUANO|Version", "1.0"] and len(dict(pairs)) == len(pairs)
            print(json.dumps(dict(pairs)))
            """
        let result = try await ChildProcess.run(
            ["/usr/bin/python3", "-c", script, server.file(name).path], environment: ChildProcess.baseEnvironment,
            within: 20)
        #expect(result.end == .exit(0), "\(name): \(result.standardError)")
        return try JSONDecoder().decode([String: String].self, from: Data(result.text.utf8))
    }

    private func begin(_ fields: [String: String]) throws -> Date {
        let text = try #require(fields["Timestamp"])
        return try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
    }

    @Test(
        "Each file of a split recording states its own beginning and length, beside bext",
        arguments: ServerKind.allCases)
    func splitFiles(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let before = Date.now
            try await server.record(
                ["-o", "take.wav", "-r", "48000", "--max", "2.25", "--split-every", "1", "--bwf", "-q"] + Self.options
            )
            var begins: [Date] = []
            for (name, length) in [
                ("take.wav", "1.000000"), ("take-002.wav", "1.000000"), ("take-003.wav", "0.250000"),
            ] {
                let fields = try await fields(name, on: server)
                #expect(fields["Length"] == length && fields["Samplerate"] == "48000", "\(fields)")
                #expect(fields["Make"] == "AudioMoth" && fields["User|Site"] == "pond ä")
                #expect(fields["Loc Position"] == "47.3769 8.5417" && fields["Species Manual ID"] == "Myotis myotis")
                begins.append(try begin(fields))
                #expect(try BroadcastChunk(server.file(name)) != nil)
            }
            #expect(begins[0] > before.addingTimeInterval(-1) && begins[2] < Date.now)
            for (first, second) in zip(begins, begins.dropFirst()) {
                // The first file's time is corrected at its end.
                #expect(abs(second.timeIntervalSince(first) - 1) < 0.1, "\(begins)")
            }
        }
    }

    @Test("A file after a pause states when it begins, not when it would have begun without the pause")
    func pause() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server)
            try await server.record(["-o", "take.wav", "-q"] + Self.options) { accrec in
                try await recording.wait(for: 0.5, accrec)
                _ = try await server.ctl("pause")
                try await SampleClock.with(of: "room.monitor", on: server) { try await $0.wait(for: 1) }
                _ = try await server.ctl("resume")
                _ = try await server.ctl("split")
                try await TestRecording(on: server, "take-002.wav").wait(for: 0.5, accrec)
                accrec.signal(SIGINT)
            }
            let (first, second) = (
                try await fields("take.wav", on: server), try await fields("take-002.wav", on: server)
            )
            let length = try #require(first["Length"].flatMap(Double.init))
            #expect(try begin(second).timeIntervalSince(begin(first)) > length + 0.9, "\(first) \(second)")
        }
    }

    @Test(
        "The file of a killed recording has it, but for the length, and a repair keeps it",
        arguments: ["take.wav", "take.rf64"])
    func killedRecording(name: String) async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = TestRecording(on: server, name)
            try await server.record(
                ["-o", name, "--format", name.hasSuffix("wav") ? "wav" : "rf64", "-q"] + Self.options, status: nil
            ) { accrec in
                try await recording.wait(for: 0.5, accrec)
                accrec.signal(SIGKILL)
            }
            let killed = try await fields(name, on: server)
            #expect(killed["Make"] == "AudioMoth" && killed["Timestamp"] != nil && killed["Length"] == nil, "\(killed)")
            try await server.accrec(["repair", name], status: nil)
            #expect(try await fields(name, on: server) == killed)
        }
    }

    @Test("accrec info shows it, also as JSON")
    func info() async throws {
        struct Shown: Decodable {
            struct Field: Decodable {
                let key: String
                let value: String
            }
            let guano: [Field]?
        }
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await server.record(["-o", "take.wav", "--max", "0.5", "-q"] + Self.options)
            try await server.record(["-o", "plain.wav", "--max", "0.5", "-q", "--guano", "yes", "--guano", "no"])
            let text = try await server.accrec(["info", "take.wav"]).text
            #expect(
                text.contains("guano      Loc Position: 47.3769 8.5417\n")
                    && text.contains("guano      Length: 0.500000\n"))
            let json = try await server.accrec(["info", "--json", "take.wav", "plain.wav"]).text
            let shown = try json.split(separator: "\n").map {
                try JSONDecoder().decode(Shown.self, from: Data($0.utf8))
            }
            #expect(shown.map { $0.guano?.first?.key } == ["GUANO|Version", nil])
            #expect(shown[0].guano?.contains { $0.key == "User|Site" && $0.value == "pond ä" } == true)
        }
    }

    @Test(
        "Batches and the configuration file take it, and an output that cannot hold it is refused before the recording")
    func everywhere() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try server.write(#"guano = ["Model=X", "Serial=7"]"#, to: "settings.toml")
            try server.write(
                """
                {"output": "a.wav", "duration": 0.3, "guano": "Serial=8"}
                {"output": "b.wav", "duration": 0.3}
                """, to: "takes.jsonl")
            try await server.accrec(["batch", "takes.jsonl", "-d", "room.monitor", "--config", "settings.toml"])
            #expect(try await fields("a.wav", on: server)["Serial"] == "8")
            let other = try await fields("b.wav", on: server)
            #expect(other["Serial"] == "7" && other["Model"] == "X")

            let refused = try await server.record(["-o", "a.flac", "--max", "0.3", "--guano", "yes"], status: 64)
            #expect(refused.standardError.contains("'guano=no'"), "\(refused.standardError)")
            try await server.record(
                ["-o", "c.flac,guano=no", "-o", "c.wav", "--max", "0.3", "-q", "--guano", "Make=x"])
            #expect(try await fields("c.wav", on: server)["Make"] == "x")
            try await server.record(["-o", "d.wav,guano=yes", "--max", "0.3", "-q"])
            #expect(try await fields("d.wav", on: server)["Length"] == "0.300000")
            let wrong = try await server.record(["-o", "e.wav", "--max", "0.3", "--guano", "Site=x"], status: 64)
            #expect(wrong.standardError.contains("'User|Site'"), "\(wrong.standardError)")
        }
    }
}
