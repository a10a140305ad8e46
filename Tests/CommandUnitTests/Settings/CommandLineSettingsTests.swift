import ArgumentParser
import Testing

@testable import AccrecCommands

// The sanitisers make parsing slow, and it has one thread.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct CommandLineSettingsTests {
    @Test(arguments: [
        (["-o", "take.wav"], []),
        (["-r", "48000", "--encoding=s24"], ["rate=48000", "encoding=s24"]),
        (["-qd", "lark", "-c=2"], ["quiet=true", "device=lark", "channels=2"]),
        (
            ["-c2", "-dlark", "-mmeasurement", "-r=8000"],
            ["channels=2", "device=lark", "mode=measurement", "rate=8000"]
        ),
        (["--fill-gaps", "--no-dither", "--no-quiet"], ["fill-gaps=true", "dither=false", "quiet=false"]),
        (["--device", "a=b", "-o", "-"], ["device=a=b"]),
    ])
    func findsSettings(arguments: [String], settings: [String]) throws {
        let found = Setting.all(of: arguments, try OptionDefinition.all(of: RecordingOptions.self))
        #expect(found.map { "\($0.option.name)=\($0.value ?? "")" } == settings)
        #expect(found.allSatisfy { $0.origin == .commandLine })
    }

    @Test(arguments: [
        // Neither values nor what follows two hyphens is an option.
        (["-o", "-,format=wav", "-q"], ["output=-,format=wav", "quiet=true"]),
        (["-qo", "-r"], ["quiet=true", "output=-r"]), (["-ob.wav,rate=8000"], ["output=b.wav,rate=8000"]),
        (["--comment=--rate=1"], ["comment=--rate=1"]),
        (["-q", "--", "-d"], ["quiet=true"]), (["--", "-r"], []),
    ])
    func doesNotMistakeValuesForOptions(arguments: [String], settings: [String]) throws {
        let found = Setting.all(of: arguments, try OptionDefinition.all(of: RecordCommand.self))
        #expect(found.map { "\($0.option.name)=\($0.value ?? "")" } == settings)
    }

    @Test(arguments: [
        ["-m", "measurement", "--mode", "default"], ["--rate=1", "--rate", "2"], ["-r", "1", "-r2"],
        ["-qb", "64", "-b=32"],
    ])
    func rejectsRepetition(arguments: [String]) {
        #expect(throws: ValidationError.self) {
            try Setting.rejectRepetition(in: arguments, of: RecordCommand.self)
        }
    }

    @Test(arguments: [
        ["-m", "measurement", "--max", "60"], ["-o", "a.wav", "-o", "b.wav"], ["-q", "-q"], ["-d", "a", "--", "-d"],
        ["-mmeasurement", "-q"],
    ])
    func acceptsWhatIsNoRepetition(arguments: [String]) throws {
        try Setting.rejectRepetition(in: arguments, of: RecordCommand.self)
    }

    @Test func theLettersAreThoseOfTheParser() throws {
        for command in AccrecCommand.configuration.subcommands {
            for option in try OptionDefinition.all(of: command) {
                for letter in option.letters {
                    #expect(Setting.namesOfLetters[Character(letter)] == option.name)
                }
            }
        }
    }
}
