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
    ])
    func aCommandThatIsNoneIsMetWithTheNearest(arguments: [String], hint: String) async throws {
        let result = try await AccrecProcess.run(arguments, on: nil)
        #expect(result.end == .exit(64))
        #expect(result.standardError == "accrec: no command '\(arguments.last!)'. \(hint)\n")
    }

    @Test func versionIsTold() async throws {
        let result = try await AccrecProcess.run(["--version"], on: nil)
        #expect(result.end == .exit(0))
        #expect(result.text.hasPrefix("accrec "))
    }
}
