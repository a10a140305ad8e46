import ACCAudioRecorder
import ArgumentParser

/// What a file says of itself.
struct MetadataOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What the take is called.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("Who is heard.", valueName: "text"))
    var artist: String?

    @Option(help: ArgumentHelp("What the take is a part of.", valueName: "text"))
    var album: String?

    @Option(help: ArgumentHelp("Anything else; source and conversion are added.", valueName: "text"))
    var comment: String?

    @Option(help: ArgumentHelp("When it was made, such as 2026-11-21.", valueName: "text"))
    var date: String?

    @Option(
        help: ArgumentHelp(
            "Genre, track, copyright, license or any other key, and a text; may be repeated.", valueName: "key=text"),
        transform: { try TagArgument($0) })
    var tag: [TagArgument] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Say in a WAV file to the frame when it begins, and how it was made. (default: the mode's)")
    var bwf: Bool?

    /// The output with all this.
    func completing(_ output: RecordingOutput) -> RecordingOutput {
        var output = output
        for argument in tag {
            if let tag = argument.tag {
                output.tags[tag] = argument.text
            } else {
                output.otherTags[argument.key] = argument.text
            }
        }
        let named: [(MetadataTag, String?)] = [
            (.title, title), (.artist, artist), (.album, album), (.comment, comment), (.date, date),
        ]
        for (tag, text) in named { output.tags[tag] = text ?? output.tags[tag] }
        output.isBroadcastWave = bwf
        return output
    }
}
