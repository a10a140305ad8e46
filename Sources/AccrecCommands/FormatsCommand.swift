import ACCAudioRecorder
import ArgumentParser

/// `accrec formats`: what a take can be written as.
struct FormatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "formats",
        abstract: "List the formats that a take can be written in.",
        discussion: """
            Each format is shown with its name, which 'accrec record --format' takes, the extensions that choose it, and \
            what it takes: encodings, channels, rates, and the values of --compression and --bitrate.
            """)

    @Flag(help: "Print one JSON array, with an object for each format.")
    var json = false

    func run() throws {
        let text = json ? try JSONText.line(Container.allCases.map(FormatRecord.init)) : FormatTable().text
        print(text, terminator: "")
    }
}
