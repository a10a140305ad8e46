import ArgumentParser

extension RowReader {
    /// Parses the options of a batch's rows. The option parser takes a millisecond, so it parses the common settings of
    /// rows once. The settings that each row has of its own are decoded into a copy.
    struct Parser {
        /// How many combinations of common settings are kept. Each row with another combination is parsed.
        private static let mostShapes = 64

        /// The options that apply to every take, as command-line arguments.
        private let flags: [String]
        /// The parsed options of the first row of each combination of common settings.
        private var shapes: [[String]: RecordCommandOptions] = [:]

        init(flags: [String]) {
            self.flags = flags
        }

        /// The parsed options, or nil if the settings are invalid together.
        mutating func options(_ settings: [Given]) -> RecordCommandOptions? {
            let common = settings.filter { OwnOption(rawValue: $0.option.name) == nil }.flatMap(\.setting.arguments)
            if let shape = shapes[common] { return try? Self.options(settings, over: shape) }
            let options = try? RecordCommandOptions.parse(flags + settings.flatMap(\.setting.arguments))
            if shapes.count < Self.mostShapes { shapes[common] = options }
            return options
        }

        /// The options that usually have another value in each row.
        private enum OwnOption: String {
            case output, max, title, artist, album, comment, date, tag
        }

        /// The options of a row that differs from another row only in these.
        private static func options(_ settings: [Given], over shape: RecordCommandOptions) throws
            -> RecordCommandOptions
        {
            var output = shape.output
            var metadata = shape.recording.shared.metadata
            var longest: RecordingLength?
            output.output = []
            metadata.tag = []
            (metadata.title, metadata.artist, metadata.album, metadata.comment, metadata.date) = (
                nil, nil, nil, nil, nil
            )
            for setting in settings.map(\.setting) {
                guard let option = OwnOption(rawValue: setting.option.name) else { continue }
                for value in setting.values {
                    switch option {
                    case .output: output.output.append(try OutputOptions.Output(value))
                    case .max: longest = try RecordingLength.parse(value)
                    case .title: metadata.title = value
                    case .artist: metadata.artist = value
                    case .album: metadata.album = value
                    case .comment: metadata.comment = value
                    case .date: metadata.date = value
                    case .tag: metadata.tag.append(try MetadataOptions.Tag(value))
                    }
                }
            }
            var options = shape
            (options.output, options.recording.shared.metadata, options.recording.shared.limits.longest) = (
                output, metadata, longest
            )
            try options.output.validate()
            try options.validate()
            return options
        }
    }

    /// An option's setting, either from a row of a manifest or a default.
    struct Given {
        let setting: Setting
        /// The row's key for the option.
        let key: String
        /// The line of the key, counted from 1.
        let line: Int

        var option: OptionDefinition { setting.option }
        var isOutput: Bool { option.name == "output" }

        init(_ option: OptionDefinition, _ value: String, of entry: Manifest.Entry) {
            setting = Setting(option: option, value: value, origin: .commandLine)
            (key, line) = (entry.key, entry.line)
        }

        /// A setting that does not come from the manifest.
        init(_ setting: Setting) {
            self.setting = setting
            (key, line) = (setting.option.name, 1)
        }
    }
}
