import FoundationEssentials
import Testing

@testable import ACCAudioRecorder
@testable import AccrecCommands

@Suite struct PrintableTextTests {
    /// Everything that a terminal interprets, or that hides or reorders adjacent text.
    private static let hostile: [Unicode.Scalar] =
        (0..<0x20).map { Unicode.Scalar($0) } + (0x7F..<0xA0).map { Unicode.Scalar($0) } + [
            "\u{AD}", "\u{61C}", "\u{200B}", "\u{200E}", "\u{200F}", "\u{202A}", "\u{202E}", "\u{2028}", "\u{2029}",
            "\u{2066}", "\u{2069}", "\u{FEFF}", "\u{E0001}", "\u{F8FF}",
        ]

    @Test(
        "A name cannot control the terminal",
        arguments: [
            ("a\u{1B}[2Jb", "a?[2Jb"), ("take\n.wav", "take?.wav"), ("a\u{9B}31m", "a?31m"),
            ("a\u{202E}vaw.b", "a?vaw.b"),
            ("ü", "ü"), ("e\u{301}", "e\u{301}"), ("नमस्ते", "नमस्ते"), ("👩‍🎤", "👩‍🎤"), ("می‌خواهم", "می‌خواهم"),
        ])
    func namesAreHarmless(name: String, shown: String) {
        #expect(PrintableText.line(name) == shown)
        #expect(PrintableText.line(name, isUTF8: false).allSatisfy { $0.isASCII })
    }

    @Test(arguments: hostile)
    func controlCharactersAreReplaced(scalar: Unicode.Scalar) throws {
        let text = "a\(scalar)b"
        #expect(PrintableText.line(text) == "a?b" && !PrintableText.isPrintable(text))
        let json = try JSONText.line([text])
        #expect(PrintableText.isPrintable(String(json.dropLast())) && json.last == "\n")
        #expect(try JSONText.decode([String].self, from: Data(json.utf8)) == [text])
    }

    @Test func deviceNameCannotForgeALineOfTheReport() {
        let text = StandardError.text(of: "recording from 'x\nlost      0 frames\u{1B}[2K'")
        #expect(text == "accrec: recording from 'x?lost      0 frames?[2K'\n")
    }
}
