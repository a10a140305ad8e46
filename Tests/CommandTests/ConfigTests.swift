import Foundation
import TestSupport
import Testing

/// The configuration file: defaults, profiles, and messages about mistakes.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct ConfigTests {
    /// A line of `accrec config --json`.
    private struct Row: Decodable, Equatable {
        var option: String
        var value: String?
        var origin: String
        var profile: String?
        var line: Int?
    }

    private static let file = """
        # Mine.
        rate = 48000
        encoding = "s24"
        fill-gaps = true
        device = "lark"

        [profile.podcast]
        mode = "spoken-audio"
        rate = 32000
        fill-gaps = false
        """

    private static let mistakes: [(text: String, line: Int, message: String)] = [
        ("rat = 48000", 1, "unknown option 'rat'. Did you mean 'rate'?"),
        ("\nxyzzy = 1", 2, "unknown option 'xyzzy'. 'accrec help record' lists them."),
        (
            "\n# A comment.\nrate = \"abc\"", 3,
            "the value 'abc' is invalid for 'rate <hertz>': give a whole number from 8000 to 384000, or 'native'"
        ),
        ("rate = true", 1, "'rate' must be a number or a quoted string"),
        ("max = 01:02:03", 1, "'max' must be a number or a quoted string"),
        ("\nfill-gaps = \"yes\"", 2, "'fill-gaps' must be true or false"),
        ("no-dither = true", 1, "unknown option 'no-dither'. Did you mean 'dither'?"),
        (
            "rate = 48000\n[profile.podcast]\nencoding = \"s17\"", 3,
            "the value 's17' is invalid for 'encoding <encoding>'. Give one of native, u8, s16, s24, s32, f32, f64. "
                + "Did you mean 's16'?"
        ),
        ("[profile.podcast]\n\nrat = 48000", 3, "unknown option 'rat'. Did you mean 'rate'?"),
        ("output = \"take.wav\"", 1, "'output' cannot have a default: it is set for each recording"),
        ("force = true", 1, "'force' cannot have a default: it is set for each recording"),
        (
            "device = \"lark\"\nfollow-default = true", 2,
            "follow-default and device exclude each other"
        ),
        ("rate = 48000\n[podcast]\nrate = 32000", 2, "unknown table; a profile is written [profile.podcast]"),
        ("profile = \"podcast\"", 1, "'profile' cannot have a default: it is set for each recording"),
        ("\nprofile.podcast = 1", 2, "a profile must be a table, such as [profile.podcast]"),
        ("rate = 48000\nrate = 32000", 2, "column 1: 'rate' is already defined on line 1"),
        // These once crashed the parser.
        ("rate = 48000\n[[[", 2, "column 3: expected a key: letters, digits, '-' and '_', or a quoted string"),
        ("comment = [}", 1, "column 12: expected a value"),
        ("date = 2026-11-21T:", 1, "column 8: '2026-11-21T:' is not a value; quote text"),
        ("split-at-clock = true\nsplit-every = \"1h\"\nrat = 1", 3, "unknown option 'rat'. Did you mean 'rate'?"),
        ("title = \"a\\u0000b\"", 1, "'title' contains a NUL character"),
    ]

    private func rows(_ arguments: [String], _ variables: [String: String] = [:]) async throws -> [String: Row] {
        let result = try await AccrecProcess.run(["config", "--json"] + arguments, on: nil, environment: variables)
        #expect(result.end == .exit(0), "\(result.standardError)")
        let rows = try JSONDecoder().decode([Row].self, from: result.standardOutput)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.option, $0) })
    }

    /// Creates a home directory with a configuration file and passes its environment.
    private func withHome<Value>(_ text: String, _ body: ([String: String], URL) async throws -> Value) async throws
        -> Value
    {
        try await TemporaryDirectory.with { home in
            let directory = home.appending(path: ".config/accrec")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "config.toml")
            try Data(text.utf8).write(to: file)
            return try await body(["HOME": home.path], file)
        }
    }

    @Test func mistakesAreReportedWithTheirLinesAndNothingIsRecorded() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.appending(path: "c.toml")
            for mistake in Self.mistakes {
                try Data(mistake.text.utf8).write(to: file)
                let result = try await AccrecProcess.run(
                    ["record", "-o", "take.wav", "--config", "c.toml"], on: nil, in: directory)
                #expect(result.end == .exit(64))
                #expect(result.standardError == "accrec: c.toml:\(mistake.line): \(mistake.message)\n")
                #expect(result.standardOutput.isEmpty)
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["c.toml"])
            }
        }
    }

    @Test func allMistakesAreReportedAtOnce() async throws {
        try await TemporaryDirectory.with { directory in
            let text = "rat = 1\nrate = 1\n[profile.x]\ndither = 2\nmode = \"loud\"\n"
            try Data(text.utf8).write(to: directory.appending(path: "c.toml"))
            let result = try await AccrecProcess.run(["config", "--config", "c.toml"], on: nil, in: directory)
            #expect(result.end == .exit(64))
            let lines = result.standardError.split(separator: "\n")
            #expect(lines.map { $0.prefix(18) } == [1, 2, 4, 5].map { "accrec: c.toml:\($0): " }, "\(lines)")
        }
    }

    @Test func unreadableFilesAreReported() async throws {
        try await TemporaryDirectory.with { directory in
            try Data([0xFF, 0x0A]).write(to: directory.appending(path: "binary.toml"))
            let messages = [
                "nosuch.toml": "cannot read 'nosuch.toml': No such file or directory",
                ".": "cannot read '.': Is a directory",
                "binary.toml": "binary.toml:1: it is not UTF-8 text",
                "/dev/zero": "cannot read '/dev/zero': it is longer than 262 kB",
            ]
            for (file, message) in messages {
                let result = try await AccrecProcess.run(["config", "--config", file], on: nil, in: directory)
                #expect(result.end == .exit(64))
                #expect(result.standardError == "accrec: \(message)\n")
            }
        }
    }

    @Test func commandLineOverridesProfileOverridesFileOverridesMode() async throws {
        try await withHome(Self.file) { home, file in
            let plain = try await rows([], home)
            #expect(plain["rate"] == Row(option: "rate", value: "48000", origin: "file", line: 2))
            #expect(plain["fill-gaps"] == Row(option: "fill-gaps", value: "true", origin: "file", line: 4))
            #expect(plain["buffer-size"] == Row(option: "buffer-size", value: "4096", origin: "built-in"))
            #expect(plain["on-disconnect"] == Row(option: "on-disconnect", value: "pause", origin: "built-in"))
            #expect(plain["max"] == Row(option: "max", origin: "built-in"))

            let options = ["--profile", "podcast", "--no-dither", "-qr", "96000", "--follow-default"]
            let changed = try await rows(options, home)
            #expect(changed["rate"] == Row(option: "rate", value: "96000", origin: "command-line"))
            #expect(changed["quiet"] == Row(option: "quiet", value: "true", origin: "command-line"))
            #expect(changed["dither"] == Row(option: "dither", value: "false", origin: "command-line"))
            #expect(
                changed["mode"]
                    == Row(option: "mode", value: "spoken-audio", origin: "profile", profile: "podcast", line: 8))
            #expect(
                changed["fill-gaps"]
                    == Row(option: "fill-gaps", value: "false", origin: "profile", profile: "podcast", line: 10))
            // The profile's mode overrides what the file sets of the same things.
            #expect(changed["encoding"] == Row(option: "encoding", value: "s16", origin: "mode"))
            #expect(changed["buffer-size"] == Row(option: "buffer-size", value: "8192", origin: "mode"))
            // Excluded by the command line.
            #expect(changed["device"] == Row(option: "device", origin: "built-in"))

            let chosen = try await rows(["--profile", "podcast", "-m", "voice-chat", "--encoding", "f32"], home)
            #expect(chosen["mode"] == Row(option: "mode", value: "voice-chat", origin: "command-line"))
            #expect(chosen["rate"] == Row(option: "rate", value: "16000", origin: "mode"))
            #expect(chosen["encoding"] == Row(option: "encoding", value: "f32", origin: "command-line"))
            #expect(chosen["fill-gaps"]?.origin == "profile" && chosen["device"]?.origin == "file")

            let text = try await AccrecProcess.run(["config"], on: nil, environment: home).text
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rate ") })
            #expect(line.split(separator: " ") == ["rate", "48000", "\(file.path):2"])
        }
    }

    @Test("A source on the command line is in place of that in the file, which is the microphone of --mic")
    func sourcesReplaceOneAnother() async throws {
        try await withHome(Self.file) { home, _ in
            let inFile = Row(option: "device", value: "lark", origin: "file", line: 5)
            let none = Row(option: "device", origin: "built-in")
            for (options, device) in [
                ([], inFile), (["--app", "firefox"], none), (["--desktop"], none), (["--inputs", "a,desktop"], none),
                (["-d", "x"], Row(option: "device", value: "x", origin: "command-line")), (["--mic"], inFile),
                (["--mic", "--desktop"], inFile),
            ] {
                let rows = try await rows(options, home)
                #expect(rows["device"] == device, "\(options)")
                #expect(rows["mic"]?.value == "false", "\(options)")
                #expect((rows["desktop"]?.value == "true") == options.contains("--desktop"))
            }
        }
    }

    @Test func withoutAFileThereAreNoDefaults() async throws {
        let result = try await AccrecProcess.run(["config"], on: nil, environment: ["HOME": "/nonexistent"])
        #expect(result.end == .exit(0))
        #expect(result.standardError == "accrec: no configuration file /nonexistent/.config/accrec/config.toml\n")
        try await withHome(Self.file) { home, file in
            for variables in [["XDG_CONFIG_HOME": "/nonexistent"], [:]] {
                let options = variables.isEmpty ? ["--no-config"] : []
                let rows = try await rows(options, home.merging(variables) { $1 })
                #expect(rows.values.allSatisfy { ["mode", "built-in"].contains($0.origin) })
            }
            // The specification says to ignore relative paths.
            #expect(try await rows([], home.merging(["XDG_CONFIG_HOME": "x"]) { $1 })["rate"]?.origin == "file")
            let directory = file.deletingLastPathComponent().deletingLastPathComponent().path
            let named = ["HOME": "/nonexistent", "XDG_CONFIG_HOME": directory]
            #expect(try await rows([], named)["rate"]?.origin == "file")
        }
    }

    @Test func unknownProfileSuggestsTheNearest() async throws {
        try await withHome(Self.file) { home, file in
            let messages = [
                (["--profile", "podcats"], "no profile 'podcats' in \(file.path). Did you mean 'podcast'?"),
                (["--profile", "x"], "no profile 'x' in \(file.path). It has 'podcast'."),
                (["--profile", "podcast", "--no-config"], "--no-config excludes --config and --profile"),
            ]
            for (options, message) in messages {
                let result = try await AccrecProcess.run(
                    ["record", "-o", "take.wav"] + options, on: nil, environment: home)
                #expect(result.end == .exit(64))
                #expect(result.standardError == "accrec: \(message)\n")
            }
        }
    }

    @Test func takesUseTheDefaults() async throws {
        try await PrivateServer.withRoom(.pulseAudio) { server in
            try FileManager.default.createDirectory(
                at: server.file(".config/accrec"), withIntermediateDirectories: true)
            let text = """
                device = "room.monitor"
                rate = 16000
                encoding = "s24"
                quiet = true
                [profile.wide]
                rate = 32000
                channels = 2
                """
            try server.write(text, to: ".config/accrec/config.toml")
            let recordings: [(options: [String], rate: Int, channels: Int, bits: Int)] = [
                ([], 16_000, 2, 24), (["--profile", "wide"], 32_000, 2, 24),
                (["--profile", "wide", "--encoding", "s16", "-c", "1"], 32_000, 1, 16),
                (["--no-config", "-d", "room.monitor"], 48_000, 2, 16),
            ]
            for (index, recording) in recordings.enumerated() {
                let result = try await server.record(
                    ["-o", "\(index).wav", "--max", "0.25"] + recording.options, from: nil)
                #expect(result.standardError.isEmpty == !recording.options.contains("--no-config"))
                let wav = try server.wav("\(index).wav")
                #expect(wav.rate == recording.rate && wav.channels == recording.channels && wav.bits == recording.bits)
                #expect(wav.frames == recording.rate / 4)
            }
        }
    }
}
