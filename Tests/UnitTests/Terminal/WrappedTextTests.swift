import Testing

@testable import AccrecCommands

@Suite struct WrappedTextTests {
    private static let lines = ["lost      0 frames", "accrec: the device of 'Lark Microphone' is gone."]

    @Test(arguments: [
        (nil, "lost      0 frames\naccrec: the device of 'Lark Microphone' is gone.\n"),
        (48, "lost      0 frames\naccrec: the device of 'Lark Microphone' is gone.\n"),
        (47, "lost      0 frames\naccrec: the device of 'Lark Microphone' is\n     gone.\n"),
        (18, "lost      0 frames\naccrec: the device\n  of 'Lark\n  Microphone' is\n  gone.\n"),
    ])
    func linesBreakBetweenWords(columns: Int?, text: String) {
        #expect(WrappedText(lines: Self.lines, columns: columns, indent: 5).text == text)
    }

    @Test func overlongWordIsLeftToTheTerminal() {
        #expect(WrappedText(lines: ["in /a/long/path now"], columns: 8, indent: 5).text == "in\n /a/long/path\n now\n")
    }
}
