import Testing

@testable import AccrecCommands

@Suite struct CommandLineSettingsTests {
    @Test(arguments: [
        (["-o", "take.wav"], []),
        (["-r", "48000", "--encoding=s24"], ["rate=48000", "encoding=s24"]),
        (["-qd", "lark", "-c=2"], ["quiet=true", "device=lark", "channels=2"]),
        (["--fill-gaps", "--no-dither", "--no-quiet"], ["fill-gaps=true", "dither=false", "quiet=false"]),
        (["--device", "a=b", "-o", "-"], ["device=a=b"]),
    ])
    func findsWhatIsGiven(arguments: [String], settings: [String]) throws {
        let found = CommandLineSettings.of(arguments, try OptionDefinition.all(of: TakeOptions.self))
        #expect(found.map { "\($0.option.name)=\($0.value ?? "")" } == settings)
        #expect(found.allSatisfy { $0.origin == .commandLine })
    }
}
