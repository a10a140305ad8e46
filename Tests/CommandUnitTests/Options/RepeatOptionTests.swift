import Testing

@testable import AccrecCommands

/// What `--repeat` needs, before anything is opened.
@Suite(.tags(.skipsThreadSanitizer, .skipsAddressSanitizer)) struct RepeatOptionTests {
    @Test(
        "Names that are others for each take are accepted, and a pre-roll is none by default",
        arguments: ["note-{n}.flac", "%H-%M-%S.wav", "%%-{ms}.wav", "{us}.wav"])
    func namesThatVary(name: String) throws {
        let options = try RecordCommandOptions.parse([name, "--repeat"])
        #expect(options.schedule.repeats && options.preRoll == 0)
        #expect(throws: Never.self) {
            try RecordCommandOptions.parse([name, "--repeat", "--pre-roll", "2", "--max", "9"])
        }
    }

    @Test func namesByTimeAreAutomatic() throws {
        #expect(throws: Never.self) { try RecordCommandOptions.parse(["--repeat"]) }
        #expect(throws: Never.self) { try RecordCommandOptions.parse(["--repeat", "--auto-name", "."]) }
    }

    @Test(
        "What would be written twice, or begins by itself, is refused with what to write instead",
        arguments: [
            ("note.flac", "'note-{n}.flac'"), ("note-{device}.flac", "'note-{n}.flac'"),
            ("100%%.flac", "'note-{n}.flac'"),
            ("note-{n}.flac -o other.wav", "'note-{n}.flac'"), ("-o - --format wav", "'note-{n}.flac'"),
            ("note-{n}.flac --force", "--repeat excludes --force"),
            ("note-{n}.flac --start-in 5", "--repeat excludes --start-at, --start-in and --every"),
            ("note-{n}.flac --every 1h --for 1m", "--repeat excludes --start-at, --start-in and --every"),
        ])
    func namesThatDoNot(arguments: String, word: String) throws {
        let words = arguments.split(separator: " ").map(String.init) + ["--repeat"]
        let error = #expect(throws: (any Error).self) { try RecordCommandOptions.parse(words) }
        let message = RecordCommandOptions.message(for: try #require(error))
        #expect(message.contains(word), "\(message)")
    }
}
