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
        (["list"], "Did you mean 'accrec devices'?"), (["pause"], "Did you mean 'accrec ctl pause'?"),
    ])
    func aCommandThatIsNoneIsMetWithTheNearest(arguments: [String], hint: String) async throws {
        let result = try await AccrecProcess.run(arguments, on: nil)
        #expect(result.end == .exit(64))
        #expect(result.standardError == "accrec: no command '\(arguments.last!)'. \(hint)\n")
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
