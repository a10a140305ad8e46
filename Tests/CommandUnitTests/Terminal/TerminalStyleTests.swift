import Testing

@testable import AccrecCommands

@Suite struct TerminalStyleTests {
    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], true), (["LANG": "en_GB.utf8"], true), (["LANG": "C"], false), ([:], false),
        (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false), (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], true),
    ])
    func theLocaleSaysWhatIsShown(environment: [String: String], isUTF8: Bool) {
        #expect(TerminalStyle(color: .auto) { environment[$0.rawValue] }.isUTF8 == isUTF8)
    }

    @Test(arguments: [
        (TerminalStyle.ColorChoice.auto, [:], true), (.auto, ["NO_COLOR": "1"], false), (.auto, ["NO_COLOR": ""], true),
        (.always, ["NO_COLOR": "1"], true), (.never, [:], false),
    ])
    func coloursFollowOptionAndEnvironment(
        color: TerminalStyle.ColorChoice, environment: [String: String], hasColor: Bool
    ) {
        #expect(TerminalStyle(color: color) { environment[$0.rawValue] }.hasColor == hasColor)
    }
}
