import ACCAudioRecorder
import FoundationEssentials
import TestSupport
import Testing

@testable import AccrecCommands

/// Text from outside that a terminal must not get as it is.
@Suite struct HostileTextTests {
    @Test("In JSON, what a terminal interprets is escaped, and decoded as it was", arguments: Example.hostileScalars)
    func isEscapedInJSON(scalar: Unicode.Scalar) throws {
        let text = "a\(scalar)b"
        let json = try JSONText.line([text])
        #expect(PrintableText.isPrintable(String(json.dropLast())) && json.last == "\n")
        #expect(try JSONText.decode([String].self, from: Data(json.utf8)) == [text])
    }

    @Test func deviceNameCannotForgeALineOfTheReport() {
        let text = StandardError.text(of: "recording from 'x\nlost      0 frames\u{1B}[2K'")
        #expect(text == "accrec: recording from 'x?lost      0 frames?[2K'\n")
    }
}
