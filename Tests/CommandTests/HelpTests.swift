import TestSupport
import Testing

@Suite struct HelpTests {
    @Test(arguments: [["--help"], ["record", "--help"], ["devices", "--help"], ["help", "record"]])
    func helpGoesToStandardOutput(arguments: [String]) async throws {
        let result = try await AccrecProcess.run(arguments, on: nil)
        #expect(result.end == .exit(0))
        #expect(result.text.contains("USAGE: accrec"))
        #expect(result.standardError.isEmpty)
    }

    @Test func versionIsTold() async throws {
        let result = try await AccrecProcess.run(["--version"], on: nil)
        #expect(result.end == .exit(0))
        #expect(result.text.hasPrefix("accrec "))
    }
}
