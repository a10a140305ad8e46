import Testing

@testable import AccrecCommands

@Suite struct WrappedTextTests {
    private static let lines = ["lost      0 frames", "accrec: the device of 'Lark Microphone' is gone."]

    @Test(arguments: [
        (nil, "lost      0 frames\naccrec: the device of 'Lark Microphone' is gone.\n"),
        (48, "lost      0 frames\naccrec: the device of 'Lark Microphone' is gone.\n"),
        (47, "lost      0 frames\naccrec: the device of 'Lark Microphone' is\n     gone.\n"),
        (18, "lost      0 frames\naccrec: the device\n     of 'Lark\n     Microphone'\n     is gone.\n"),
    ])
    func linesBreakBetweenWords(columns: Int?, text: String) {
        #expect(WrappedText(lines: Self.lines, columns: columns, indent: 5).text == text)
    }

    @Test(arguments: [
        ("source    the Lark Microphone", "source    the Lark\n          Microphone\n"),
        ("    the Lark Microphone", "    the Lark\n    Microphone\n"),
        ("  a label of a length  the text", "  a label of a\n    length  the text\n"),
        ("a label of great length  the text", "a label of great\n     length  the\n     text\n"),
    ])
    func continuationsHangBelowTheText(line: String, text: String) {
        #expect(WrappedText(lines: [line], columns: 20, indent: 5).text == text)
    }

    @Test func overlongWordIsLeftToTheTerminal() {
        #expect(
            WrappedText(lines: ["in /a/long/path now"], columns: 8, indent: 5).text == "in\n  /a/long/path\n  now\n")
    }
}
