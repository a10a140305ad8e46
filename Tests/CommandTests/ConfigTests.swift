import Foundation
import TestSupport
import Testing

/// The user's defaults: a file of options, profiles in it, and what is told of mistakes.
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
        ("rat = 48000", 1, "there is no option 'rat'. Did you mean 'rate'?"),
        ("\nxyzzy = 1", 2, "there is no option 'xyzzy'. 'accrec help record' lists them."),
        (
            "\n# A comment.\nrate = \"abc\"", 3,
            "The value 'abc' is invalid for 'rate <hertz>': give a whole number from 8000 to 384000, or 'native'"
        ),
        ("rate = true", 1, "'rate' takes a number or a text in quotes"),
        ("max = 01:02:03", 1, "'max' takes a number or a text in quotes"),
        ("\nfill-gaps = \"yes\"", 2, "'fill-gaps' is true or false"),
        ("no-dither = true", 1, "there is no option 'no-dither'. Did you mean 'dither'?"),
        (
            "rate = 48000\n[profile.podcast]\nencoding = \"s17\"", 3,
            "The value 's17' is invalid for 'encoding <encoding>'. Give one of native, u8, s16, s24, s32, f32, f64. "
                + "Did you mean 's16'?"
        ),
        ("[profile.podcast]\n\nrat = 48000", 3, "there is no option 'rat'. Did you mean 'rate'?"),
        ("output = \"take.wav\"", 1, "'output' has no default: it is given for each take anew"),
        ("force = true", 1, "'force' has no default: it is given for each take anew"),
        (
            "device = \"lark\"\nfollow-default = true", 2,
            "follow-default and device exclude each other: name a source, or follow the default"
        ),
        ("rate = 48000\n[podcast]\nrate = 32000", 2, "tables are profiles, such as [profile.podcast]"),
        ("profile = \"podcast\"", 1, "'profile' has no default: it is given for each take anew"),
        ("\nprofile.podcast = 1", 2, "profiles are tables, such as [profile.podcast]"),
        (
            "rate = 48000\nrate = 32000", 2,
            "Error while parsing key-value pair: cannot redefine existing integer 'rate'"
        ),
    ]

    private func rows(_ arguments: [String], _ variables: [String: String] = [:]) async throws -> [String: Row] {
        let result = try await AccrecProcess.run(["config", "--json"] + arguments, on: nil, environment: variables)
        #expect(result.end == .exit(0), "\(result.standardError)")
        let rows = try JSONDecoder().decode([Row].self, from: result.standardOutput)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.option, $0) })
    }

    /// A home directory with a configuration file; gives its environment.
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

    @Test func aMistakeIsToldWithItsLineAndNothingIsRecorded() async throws {
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

    @Test func aFileThatIsNoneIsTold() async throws {
        try await TemporaryDirectory.with { directory in
            try Data([0xFF, 0x0A]).write(to: directory.appending(path: "binary.toml"))
            let messages = [
                "nosuch.toml": "cannot read 'nosuch.toml': No such file or directory",
                ".": "cannot read '.': Is a directory",
                "binary.toml": "cannot read 'binary.toml': it is no text in UTF-8",
            ]
            for (file, message) in messages {
                let result = try await AccrecProcess.run(["config", "--config", file], on: nil, in: directory)
                #expect(result.end == .exit(64))
                #expect(result.standardError == "accrec: \(message)\n")
            }
        }
    }

    @Test func theCommandLineGoesBeforeTheProfileBeforeTheFileBeforeTheMode() async throws {
        try await withHome(Self.file) { home, file in
            let plain = try await rows([], home)
            #expect(plain["rate"] == Row(option: "rate", value: "48000", origin: "file", line: 2))
            #expect(plain["fill-gaps"] == Row(option: "fill-gaps", value: "true", origin: "file", line: 4))
            #expect(plain["buffer-size"] == Row(option: "buffer-size", value: "4096", origin: "mode"))
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
            #expect(changed["encoding"] == Row(option: "encoding", value: "s24", origin: "file", line: 3))
            #expect(changed["buffer-size"] == Row(option: "buffer-size", value: "8192", origin: "mode"))
            // What the command line excludes.
            #expect(changed["device"] == Row(option: "device", origin: "built-in"))

            let text = try await AccrecProcess.run(["config"], on: nil, environment: home).text
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rate ") })
            #expect(line.split(separator: " ") == ["rate", "48000", "\(file.path):2"])
        }
    }

    @Test func whoHasNoFileHasNoDefaults() async throws {
        let result = try await AccrecProcess.run(["config"], on: nil, environment: ["HOME": "/nonexistent"])
        #expect(result.end == .exit(0))
        #expect(result.standardError == "accrec: there is no /nonexistent/.config/accrec/config.toml.\n")
        try await withHome(Self.file) { home, file in
            for variables in [["XDG_CONFIG_HOME": "/nonexistent"], [:]] {
                let options = variables.isEmpty ? ["--no-config"] : []
                let rows = try await rows(options, home.merging(variables) { $1 })
                #expect(rows.values.allSatisfy { ["mode", "built-in"].contains($0.origin) })
            }
            // The specification has a relative path ignored.
            #expect(try await rows([], home.merging(["XDG_CONFIG_HOME": "x"]) { $1 })["rate"]?.origin == "file")
            let directory = file.deletingLastPathComponent().deletingLastPathComponent().path
            let named = ["HOME": "/nonexistent", "XDG_CONFIG_HOME": directory]
            #expect(try await rows([], named)["rate"]?.origin == "file")
        }
    }

    @Test func aProfileThatIsNoneIsMetWithTheNearest() async throws {
        try await withHome(Self.file) { home, file in
            let messages = [
                (["--profile", "podcats"], "\(file.path) has no profile 'podcats'. Did you mean 'podcast'?"),
                (["--profile", "x"], "\(file.path) has no profile 'x'. It has 'podcast'."),
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

    @Test func aTakeIsMadeWithTheDefaults() async throws {
        try await PrivateServer.with(.pulseAudio) { server in
            try await server.loadNullSink("room")
            let file = server.directory.appending(path: ".config/accrec/config.toml")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            let text = """
                device = "room.monitor"
                rate = 16000
                encoding = "s24"
                quiet = true
                [profile.wide]
                rate = 32000
                channels = 2
                """
            try Data(text.utf8).write(to: file)
            let takes: [(options: [String], rate: Int, channels: Int, bits: Int)] = [
                ([], 16_000, 1, 24), (["--profile", "wide"], 32_000, 2, 24),
                (["--profile", "wide", "--encoding", "s16", "-c", "1"], 32_000, 1, 16),
                (["--no-config", "-d", "room.monitor"], 44_100, 1, 16),
            ]
            for (index, take) in takes.enumerated() {
                let path = server.directory.appending(path: "\(index).wav")
                let result = try await AccrecProcess.run(
                    ["record", "-o", path.path, "--max", "0.25"] + take.options, on: server)
                #expect(result.end == .exit(0), "\(result.standardError)")
                #expect(result.standardError.isEmpty == !take.options.contains("--no-config"))
                let wav = try PCMFile(wav: path)
                #expect(wav.rate == take.rate && wav.channels == take.channels && wav.bits == take.bits)
                #expect(wav.frames == take.rate / 4)
            }
        }
    }
}
