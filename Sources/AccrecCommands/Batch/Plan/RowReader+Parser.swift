import ACCAudioRecorder
import ArgumentParser

extension RowReader {
    /// What a row records.
    struct Recording {
        let settings: BatchTake.Settings
        private(set) var outputs: [RecordingOutput]
        /// The longest time; nil without a limit.
        private(set) var longest: RecordingLength?

        init(_ options: RecordCommandOptions) throws {
            outputs = try options.recordingOutputs()
            settings = BatchTake.Settings(
                ACCAudioRecorder.Configuration(options), outputs: outputs,
                isStrict: options.recording.shared.reliability.strict)
            longest = options.recording.shared.limits.longest
        }

        /// The same recording with other settings of its own. Each output has the form of the one that it replaces.
        fileprivate func with(_ own: OwnSettings) throws -> Recording {
            var recording = self
            recording.longest = own.longest
            for (index, argument) in own.outputs.enumerated() {
                recording.outputs[index].destination = try OutputOptions.destination(ofPlace: argument.place)
                (recording.outputs[index].tags, recording.outputs[index].otherTags) = (own.tags, own.otherTags)
                try recording.outputs[index].validate()
            }
            return recording
        }
    }

    /// Parses the settings of a batch's rows. The option parser takes a millisecond, so it parses one row of each form:
    /// others of that form differ from it in their own settings only, which are decoded here.
    struct Parser {
        /// How many forms are kept. Each row of another form is parsed.
        private static let mostForms = 64

        /// The options that apply to every take, as command-line arguments.
        private let flags: [String]
        /// The recording of the first row of each form.
        private var recordings: [Form: Recording] = [:]

        private struct Form: Hashable {
            /// The settings that rows have in common, as command-line arguments.
            let common: [String]
            /// Without their names, except for what these say of the format.
            let outputs: [OutputOptions.Output]
        }

        init(flags: [String]) {
            self.flags = flags
        }

        /// The recording with these settings, or nil if they are invalid together.
        mutating func recording(_ settings: [Given]) -> Recording? {
            guard let own = try? OwnSettings(settings) else { return nil }
            let common = settings.filter { OwnSettings.Option(rawValue: $0.option.name) == nil }
            let form = Form(common: common.flatMap(\.setting.arguments), outputs: own.outputs.compactMap(\.withoutName))
            let isComplete = form.outputs.count == own.outputs.count
            if isComplete, let recording = recordings[form] { return try? recording.with(own) }
            guard let options = try? RecordCommandOptions.parse(flags + settings.flatMap(\.setting.arguments)),
                let recording = try? Recording(options)
            else { return nil }
            if isComplete, recordings.count < Self.mostForms { recordings[form] = recording }
            return recording
        }
    }

    /// The settings that usually have another value in each row.
    fileprivate struct OwnSettings {
        private(set) var outputs: [OutputOptions.Output] = []
        private(set) var longest: RecordingLength?
        private(set) var tags: [MetadataTag: String] = [:]
        private(set) var otherTags: [String: String] = [:]

        /// The options that set them, by name.
        enum Option: String {
            case output, max, title, artist, album, comment, date, tag
        }

        init(_ settings: [Given]) throws {
            var named: [MetadataTag: String] = [:]
            for setting in settings.map(\.setting) {
                guard let option = Option(rawValue: setting.option.name) else { continue }
                for value in setting.values {
                    switch option {
                    case .output: outputs.append(try OutputOptions.Output(value))
                    case .max: longest = try RecordingLength.parse(value)
                    case .title: named[.title] = value
                    case .artist: named[.artist] = value
                    case .album: named[.album] = value
                    case .comment: named[.comment] = value
                    case .date: named[.date] = value
                    case .tag: try MetadataOptions.Tag(value).add(to: &tags, &otherTags)
                    }
                }
            }
            tags.merge(named) { $1 }
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
