import ACCAudioRecorder
import ArgumentParser

/// Options for the metadata of files.
struct MetadataOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Title.", valueName: "text"))
    var title: String?

    @Option(help: ArgumentHelp("Artist or speaker.", valueName: "text"))
    var artist: String?

    @Option(help: ArgumentHelp("Album or series.", valueName: "text"))
    var album: String?

    @Option(help: ArgumentHelp("Comment; the source and conversions are appended.", valueName: "text"))
    var comment: String?

    @Option(help: ArgumentHelp("Date, such as 2026-11-21.", valueName: "text"))
    var date: String?

    @Option(
        help: ArgumentHelp(
            "Any other tag, such as genre=Interview; may be repeated.", valueName: "key=text"),
        transform: { try Tag($0) })
    var tag: [Tag] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Write a Broadcast Wave chunk with the exact start time into WAV files. (default: the mode's)")
    var bwf: Bool?

    @Option(
        help: ArgumentHelp(
            """
            Write GUANO metadata into WAV files, for bioacoustics: 'yes', or a field such as 'Loc Position=47.4 8.5', or \
            'User|Site=pond'; may be repeated.
            """, valueName: "key=value"),
        completion: .list(["yes", "no"] + GUANOFields.definedKeys.map { "\($0)=" }),
        transform: { try GUANOArgument($0) })
    var guano: [GUANOArgument] = []

    /// Sets what these options decide of an output.
    func apply(to output: inout RecordingOutput) {
        for argument in tag { argument.add(to: &output.tags, &output.otherTags) }
        let named: [(MetadataTag, String?)] = [
            (.title, title), (.artist, artist), (.album, album), (.comment, comment), (.date, date),
        ]
        for (tag, text) in named { output.tags[tag] = text ?? output.tags[tag] }
        output.isBroadcastWave = bwf
        output.guano = fields
    }

    /// The fields of the options from the last `no` on; nil without any.
    private var fields: GUANOFields? {
        guano.reduce(nil) { fields, argument in
            switch argument {
            case .no: nil
            case .yes: fields ?? GUANOFields()
            case .field(let field): (fields ?? GUANOFields()).setting(field)
            }
        }
    }
}

extension MetadataOptions {
    /// An argument of `--guano`.
    enum GUANOArgument {
        case yes, no
        /// One field.
        case field(GUANOFields)

        init(_ argument: String) throws {
            switch argument {
            case "yes": self = .yes
            case "no": self = .no
            default:
                let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else {
                    throw ValidationError("give yes, no, or a field such as 'Make=AudioMoth'")
                }
                var fields = GUANOFields()
                do {
                    try fields.set(String(parts[0]), to: String(parts[1]))
                } catch {
                    throw ValidationError(ErrorText.line(error))
                }
                self = .field(fields)
            }
        }
    }

    /// A tag as given to `--tag`: `genre=Interview`, `MOOD=calm`.
    struct Tag {
        /// In lower case if it is a standard tag.
        let key: String
        let text: String

        /// The standard tag; nil for any other key.
        var tag: MetadataTag? { MetadataTag(rawValue: key) }

        /// Adds it to the standard tags, or to the other ones.
        func add(to tags: inout [MetadataTag: String], _ otherTags: inout [String: String]) {
            if let tag { tags[tag] = text } else { otherTags[key] = text }
        }

        init(_ argument: String) throws {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, Self.isKey(parts[0]) else {
                throw ValidationError("give a key (letters, digits, - and _) and text, such as genre=Interview")
            }
            let tag = MetadataTag(rawValue: parts[0].lowercased())
            (key, text) = (tag?.rawValue ?? String(parts[0]), String(parts[1]))
        }

        /// Whether these are letters, digits, - and _, of which the first is a letter, in ASCII.
        private static func isKey(_ text: Substring) -> Bool {
            guard let first = text.first, first.isLetter else { return false }
            return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        }
    }
}
