import Foundation
import TestSupport
import Testing

/// What somebody tries who has not read the manual.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct FirstContactTests {
    @Test func aFileNeedsNoOption() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let common = ["--max", "0.1", "-q"]
            for name in [["take.wav"], []] { try await server.record(name + common) }
            let files = try server.fileNames()
            #expect(files.contains("take.wav"))
            #expect(files.contains { $0.wholeMatch(of: /accrec-\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d-\d{3}\.wav/) != nil })
            let again = try await server.record(["take.wav"] + common, status: 11)
            #expect(
                again.standardError
                    == "accrec: cannot create 'take.wav': it already exists. Use another name, or --force to replace it.\n"
            )
        }
    }

    @Test("On a terminal, an existing file is replaced, kept beside another, or the recording is not begun")
    func anExistingFileIsAskedAbout() async throws {
        try await TmuxTerminal.withAccrec { terminal, server in
            func content(_ name: String) -> String {
                let data = try? Data(contentsOf: server.file(name))
                return data.map { $0 == Data("old".utf8) ? "old" : $0.count > 9_600 ? "new" : "short" } ?? "none"
            }
            try server.write("old", to: "take.wav")
            let cases: [(key: String, message: String, contents: [String])] = [
                ("x", "nothing was recorded", ["old", "none"]),
                ("C-c", "ended before the recording began", ["old", "none"]),
                ("n", "written   take-002.wav", ["old", "new"]), ("r", "written   take.wav", ["new", "new"]),
            ]
            for item in cases {
                try await terminal.enter("clear")
                try await terminal.waitForScreen("no question") { !$0.contains { $0.contains("r replaces it") } }
                try await terminal.enter("accrec record take.wav -d room.monitor -r 48000 --max 0.1")
                try await terminal.waitForScreen("the question") { $0.contains { $0.contains("r replaces it") } }
                try await terminal.press(item.key)
                try await terminal.waitForScreen("the end") { $0.contains { $0.contains(item.message) } }
                #expect([content("take.wav"), content("take-002.wav")] == item.contents)
            }
        }
    }

    @Test("accrec devices shows what accrec record would use, and the numbers that -d accepts")
    func devicesAreThoseOfRecord() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try await server.makeMicrophone("near", hearing: "room")
            try await server.makeMicrophone("far", hearing: "room")
            try await server.setDefaultSource("near")
            let text = "keep-last = 2\nsplit-every = \"1h\"\n[profile.stage]\ndevice = \"far\"\n"
            try server.write(text, to: "c.toml")
            let file = ["--config", "c.toml"]
            let cases: [(options: [String], environment: [String: String], source: String)] = [
                (file, [:], "near"), (file + ["--profile", "stage"], [:], "far"),
                (file + ["--profile", "stage", "-d", "near"], [:], "near"), (["-d", "fra"], [:], "none"),
                ([], ["PULSE_SOURCE": "far"], "far"),
            ]
            for item in cases {
                let list = try await server.accrec(
                    ["devices"] + item.options, environment: item.environment, status: nil)
                let chosen = list.text.split(separator: "\n").first { $0.hasPrefix(">") }
                let match = chosen?.firstMatch(of: /^>.\s*(\d+)  (\w+)/)
                #expect(match.map { String($0.2) } ?? "none" == item.source, "\(list.text)")
                let recording = ["take.wav", "--force", "--max", "0.1"]
                let recorded = try await server.record(
                    recording + item.options, from: nil, environment: item.environment, status: match == nil ? 8 : 0)
                guard let number = match?.1 else {
                    #expect(recorded.standardError.contains("no such source. Did you mean 'far'? Name one of:\n"))
                    continue
                }
                #expect(recorded.standardError.contains("source    \(item.source): "))
                let byNumber = try await server.record(recording, from: "#\(number)")
                #expect(byNumber.standardError.contains("source    \(item.source): "))
            }
        }
    }

    @Test("Options as people type them, and what the source cannot give as a mistake of the command line")
    func optionsAreTakenAsTyped() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let options = ["-otake.wav", "-droom.monitor", "-c2", "-r44.1k", "--max", "100ms"]
            try await server.record(options, from: nil)
            let file = try server.wav()
            #expect(file.channels == 2 && file.rate == 44_100 && file.frames == 4_410)
            try await server.record(["b.wav", "--select", "3"], status: 64)
        }
    }

    @Test("Without a terminal, --history says once that it draws nothing, and --quiet says nothing")
    func aGraphNeedsATerminal() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = ["record", "take.wav", "-d", "room.monitor", "--max", "0.1", "--force", "--history"]
            for command in [recording, ["meter", "-d", "room.monitor", "--max", "0.1", "--history"]] {
                let lines = try await server.accrec(command).standardError.split(separator: "\n")
                #expect(lines.count { $0.hasPrefix("accrec: --history draws below the meter") } == 1, "\(lines)")
            }
            #expect(try await server.accrec(recording + ["-q"]).standardError.isEmpty)
        }
    }

    @Test("--dry-run looks for the sources, and adds up the lengths")
    func aTrialLooksForSources() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = "[[take]]\noutput = \"a.wav\"\nduration = \"1m\"\ndevice = \"room.monitor\"\n"
            let other = "[[take]]\noutput = \"b.wav\"\nduration = 2.5\ndevice = \"rom.monitor\"\n"
            let cases: [(text: String, status: Int32, message: String)] = [
                (recording, 0, "accrec: 1 take, 1:00.000 in all\n"),
                (
                    recording + other, 8,
                    """
                    accrec: 2 takes, 1:02.500 in all
                    accrec: m.toml:5: cannot record from 'rom.monitor': no such source. Did you mean 'room.monitor'? \
                    Name one of:
                            Monitor of Null Output (room.monitor)

                    """
                ),
            ]
            for item in cases {
                try server.write(item.text, to: "m.toml")
                let result = try await server.accrec(["batch", "m.toml", "--dry-run"], status: item.status)
                #expect(result.standardError == item.message)
            }
        }
    }

    @Test("The report says that a recording was wholly silent, with minus infinity as its level")
    func silenceIsReported() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            let recording = ["--max", "0.1", "--force", "take.wav", "-c", "1"]
            let silent = try await server.record(recording).standardError
            #expect(silent.contains("\nSILENT    every sample is zero: "), "\(silent)")
            #expect(silent.contains("\nlevel     peak −∞ dBFS, RMS −∞ dBFS, 0 clipped\n"), "\(silent)")
            try await Player.with(.tone(peak: -12), into: "room", on: server) { _ in
                let loud = try await server.record(recording).standardError
                #expect(!loud.contains("SILENT") && !loud.contains("∞"), "\(loud)")
            }
        }
    }

    @Test("A key resets the held peaks and the clip indicator; the report still counts what was clipped")
    func aKeyResetsClipping() async throws {
        let loud = [Int16](repeating: .max, count: 4_800) + [Int16](repeating: 0, count: 580_000)
        try await TmuxTerminal.withAccrec(playing: .samples(Signal.data(loud))) { terminal, _ in
            try await terminal.enter(TmuxTerminal.recording)
            try await terminal.waitForScreen("clipping") { $0.contains { $0.contains("CLIP ") } }
            try await terminal.press("r")
            try await terminal.waitForScreen("a reset") { screen in
                screen.contains { $0.hasPrefix("● REC") } && !screen.contains { $0.contains("CLIP") }
            }
            try await terminal.press("q")
            try await terminal.waitForScreen("the report") { $0.contains { $0.hasPrefix("CLIPPED ") } }
        }
    }
}
