import TestSupport
import Testing

@Suite struct HelpTests {
    @Test(arguments: [
        ["--help"], ["record", "--help"], ["batch", "--help"], ["devices", "--help"], ["help", "record"],
    ])
    func helpGoesToStandardOutput(arguments: [String]) async throws {
        let result = try await AccrecProcess.run(arguments, on: nil)
        #expect(result.end == .exit(0))
        #expect(result.text.contains("USAGE: accrec"))
        #expect(result.standardError.isEmpty)
    }

    @Test func accrecAloneExplainsItselfInAFewLines() async throws {
        let result = try await AccrecProcess.run([], on: nil)
        #expect(result.end == .exit(0))
        #expect(result.text.split(separator: "\n").count <= 18)
        #expect(result.text.contains("accrec record take.wav"))
        #expect(result.standardError.isEmpty)
    }

    @Test func optionsOfRecordAreInGroups() async throws {
        let text = try await AccrecProcess.run(["help", "record"], on: nil).text
        var rest = text[...]
        for title in ["OUTPUT:", "SOURCE:", "FORMAT:", "LIMITS:", "RELIABILITY:", "DISPLAY:", "EXAMPLES:"] {
            let place = try #require(rest.range(of: "\n\(title)\n"), "\(title)")
            rest = rest[place.upperBound...]
        }
    }

    @Test(arguments: [
        (["recrod"], "Did you mean 'record'?"), (["help", "xyzzy"], "'accrec --help' lists the commands."),
        (["list"], "Did you mean 'accrec devices'?"), (["monitor"], "Did you mean 'accrec meter'?"),
        (["start"], "Did you mean 'accrec record'?"), (["pause"], "Did you mean 'accrec ctl pause'?"),
    ])
    func aCommandThatIsNoneIsMetWithTheNearest(arguments: [String], hint: String) async throws {
        let result = try await AccrecProcess.run(arguments, on: nil)
        #expect(result.end == .exit(64))
        #expect(result.standardError == "accrec: no command '\(arguments.last!)'. \(hint)\n")
    }

    @Test(arguments: [
        (["--max", "10"], "'--max' belongs to a command. Did you mean 'accrec record --max'?"),
        (["-d=lark"], "'-d' belongs to a command. Did you mean 'accrec record -d'?"),
        (["-V"], "unknown option '-V'. Did you mean '--version'?"),
        (["--verison"], "unknown option '--verison'. Did you mean '--version'?"),
        (["--list-devices"], "unknown option '--list-devices'. Did you mean 'accrec devices'?"),
        (
            ["ctl", "marks"],
            "no command 'marks'. Give one of list, status, start, toggle-take, pause, resume, toggle, mark, split, stop, "
                + "discard, save, follow, tap. Did you mean 'mark'?"
        ),
        (["--frobnicate"], "unknown option '--frobnicate'. 'accrec --help' lists the commands."),
        (["meter", "lark"], "unexpected argument 'lark'. Did you mean 'accrec meter -d lark'?"),
        (["meter", "a b"], #"unexpected argument 'a b'. Did you mean 'accrec meter -d "a b"'?"#),
        (["devices", "lark"], "unexpected argument 'lark'. Did you mean 'accrec devices -d lark'?"),
        (["config", "lark"], "unexpected argument 'lark'. 'accrec config --help' shows what it takes."),
    ])
    func whatStandsInTheWrongPlaceIsMetWithTheRightOne(arguments: [String], message: String) async throws {
        let result = try await AccrecProcess.run(arguments, on: nil)
        #expect(result.end == .exit(64))
        #expect(result.standardError == "accrec: \(message)\n")
    }

    @Test("-h fits on a screen", arguments: ["record", "meter", "devices"])
    func shortHelpIsShort(command: String) async throws {
        let result = try await AccrecProcess.run([command, "-h"], on: nil)
        let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 30 && lines.allSatisfy { $0.count < 80 })
        #expect(lines.first?.hasPrefix("Usage: accrec \(command)") == true)
    }

    @Test func versionIsTold() async throws {
        let result = try await AccrecProcess.run(["--version"], on: nil)
        #expect(result.end == .exit(0))
        let lines = result.text.split(separator: "\n")
        #expect(lines.first?.hasPrefix("accrec ") == true && lines.last?.hasPrefix("no server: ") == true)
        for library in ["libpulse", "libsndfile", "libsamplerate"] {
            #expect(lines.count { $0.hasPrefix("\(library)-") } == 1, "\(lines)")
        }
    }

    @Test("The version names the server", arguments: ServerKind.allCases)
    func versionNamesTheServer(kind: ServerKind) async throws {
        try await PrivateServer.withRoom(kind) { server in
            let text = try await server.accrec(["--version"]).text
            let name = kind == .pulseAudio ? "server: pulseaudio " : "server: PulseAudio (on PipeWire "
            #expect(text.split(separator: "\n").contains { $0.hasPrefix(name) }, "\(text)")
        }
    }
}
