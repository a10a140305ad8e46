import Testing

@testable import AccrecCommands

@Suite struct TakeOptionsTests {
    @Test func whatDefaultsTurnOnTheCommandLineTurnsOff() throws {
        for option in try OptionDefinition.all(of: TakeOptions.self) where option.isFlag {
            #expect(option.inverse == "no-\(option.name)")
        }
    }

    @Test func whatHelpLeavesToTheModeTheModeDecides() throws {
        let help = TakeOptions.helpMessage(columns: 1000)
        let left = help.split(separator: "\n  -").filter { $0.contains("the mode's") }
            .compactMap { $0.firstMatch(of: /-([a-z][a-z-]+)/).map { String($0.1) } }
        let mode = try TakeOptions.parse([])
        #expect(Set(left) == Set(mode.decidedByMode.keys))
        #expect(try TakeOptions.parse(["--select", "3,4"]).decidedByMode["channels"] == nil)
    }

    @Test func defaultsThatHelpTellsAreKnown() throws {
        let options = try OptionDefinition.all(of: TakeOptions.self)
        let defaults = Dictionary(uniqueKeysWithValues: options.map { ($0.name, $0.defaultValue) })
        #expect(defaults["on-disconnect"] == "pause")
        #expect(defaults["interruption-timeout"] == "60")
        #expect(defaults["dither"] == "true")
        #expect(defaults["fill-gaps"] == "false")
        #expect(defaults["rate"] == .some(nil))
    }
}
