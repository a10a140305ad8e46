import TestSupport
import Testing

@testable import ACCAudioRecorder

@Suite struct PrintableTextTests {
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

    @Test("What a terminal interprets is replaced", arguments: Example.hostileScalars)
    func controlCharactersAreReplaced(scalar: Unicode.Scalar) {
        let text = "a\(scalar)b"
        #expect(PrintableText.line(text) == "a?b" && !PrintableText.isPrintable(text))
    }
}
