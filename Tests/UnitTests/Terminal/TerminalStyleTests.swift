import Testing

@testable import AccrecCommands

@Suite struct TerminalStyleTests {
    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], true), (["LANG": "en_GB.utf8"], true), (["LANG": "C"], false), ([:], false),
        (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], true),
    ])
    func theLocaleSaysWhatIsShown(environment: [String: String], isUTF8: Bool) {
        #expect(TerminalStyle(color: .auto) { environment[$0] }.isUTF8 == isUTF8)
    }

    @Test(arguments: [
        (ColorChoice.auto, [:], true), (.auto, ["NO_COLOR": "1"], false), (.auto, ["NO_COLOR": ""], true),
        (.always, ["NO_COLOR": "1"], true), (.never, [:], false),
    ])
    func coloursAreAsAskedFor(color: ColorChoice, environment: [String: String], hasColor: Bool) {
        #expect(TerminalStyle(color: color) { environment[$0] }.hasColor == hasColor)
    }

    @Test(
        "A name cannot steer the terminal",
        arguments: [("a\u{1B}[2Jb", "a?[2Jb"), ("take\n.wav", "take?.wav"), ("ü", "ü")])
    func namesAreHarmless(name: String, shown: String) {
        #expect(DisplayWidth.printable(name, isUTF8: true) == shown)
        #expect(DisplayWidth.printable(name, isUTF8: false).allSatisfy { $0.isASCII })
    }
}
