import Testing

@testable import AccrecCommands

@Suite struct RecordingOptionsTests {
    @Test func commandLineCanTurnOffDefaults() throws {
        for option in try OptionDefinition.all(of: RecordingOptions.self) where option.isFlag {
            #expect(option.inverse == "no-\(option.name)")
        }
    }

    @Test("--no-config excludes the options that choose a configuration", arguments: ["--config", "--profile"])
    func noConfigExcludesOthers(option: String) throws {
        #expect(throws: Never.self) { try DefaultsOptions.parse([option, "x"]) }
        #expect(throws: Never.self) { try DefaultsOptions.parse(["--no-config"]) }
        let error = #expect(throws: (any Error).self) { try DefaultsOptions.parse(["--no-config", option, "x"]) }
        let message = DefaultsOptions.message(for: try #require(error))
        #expect(message.contains("--no-config excludes --config and --profile"))
    }

    @Test func modeDecidesWhatHelpSaysItDoes() throws {
        let help = RecordingOptions.helpMessage(columns: 1000)
        let left = help.split(separator: "\n  -").filter { $0.contains("the mode's") }
            .compactMap { $0.firstMatch(of: /-([a-z][a-z-]+)/).map { String($0.1) } }
        let mode = try RecordingOptions.parse(["-m", "default"])
        #expect(Set(left) == Set(mode.decidedByMode.keys))
        #expect(try RecordingOptions.parse(["--select", "3,4"]).decidedByMode["channels"] == nil)
    }

    @Test func defaultsInHelpAreKnown() throws {
        let options = try OptionDefinition.all(of: RecordingOptions.self)
        let defaults = Dictionary(
            uniqueKeysWithValues: options.map { ($0.name, RecordingOptions.defaultValue(of: $0)) })
        let told = RecordingOptions.helpMessage(columns: 1000)
            .matches(of: #/--([a-z-]+) <[^>]+>\s+.*\(default: ([a-z0-9.]+)\)/#).map { (String($0.1), String($0.2)) }
        for (name, value) in told { #expect(defaults[name] == value, "\(name)") }
        #expect(["interruption-timeout", "sync", "stdout-buffer"].allSatisfy(told.map(\.0).contains))
        #expect(defaults["on-disconnect"] == "pause")
        #expect(defaults["dither"] == "true" && defaults["fill-gaps"] == "false")
        #expect(defaults["rate"] == .some(nil))
    }
}
