import ACCAudioRecorder
import ArgumentParser

/// `accrec config`: shows the settings that a recording would use, and where they come from.
struct ConfigCommand: HelpfulCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show the settings in effect and their origin.",
        discussion: """
            The command line overrides the profile, the profile overrides the rest of the configuration file, the file \
            overrides the mode, and the mode overrides the built-in defaults. Give options of 'accrec record' to see \
            what it would use with them. A '-' means that nothing sets the option.
            """)

    @Flag(help: "Print a JSON array with an object for each option.")
    var json = false

    @OptionGroup(title: "Defaults") var defaults: DefaultsOptions
    @OptionGroup var recording: RecordingOptions

    /// The same command without the options of 'accrec record', which have a help of their own.
    private struct Contents: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "config", abstract: ConfigCommand.configuration.abstract,
            usage: "accrec config [<options>] [<options of accrec record>]",
            discussion: ConfigCommand.configuration.discussion)

        @Flag(help: "Print a JSON array with an object for each option.")
        var json = false

        @OptionGroup(title: "Defaults") var defaults: DefaultsOptions
    }

    static var helpContents: any ParsableCommand.Type { Contents.self }

    static let examples: [(command: String, effect: String)] = [
        ("accrec config", "the settings of 'accrec record'"),
        ("accrec config --profile podcast", "the same with a profile"),
        ("accrec config -m voice-chat", "the same in a mode"),
    ]

    func run() throws {
        let settings = try settings()
        if json {
            try StandardOutput.write(json: settings.map(Record.init))
        } else {
            try StandardOutput.write(lines: Self.lines(of: settings))
        }
        if defaults.file == nil, !defaults.isWithoutFile, let path = DefaultsOptions.userFile {
            StandardError.tell("no configuration file \(path)")
        }
    }

    private func settings() throws -> [Setting] {
        let arguments = Array(CommandLine.arguments.dropFirst(2))
        let effective = try defaults.effectiveSettings(of: Self.self, arguments: arguments)
        let recording = try Self.parse(effective.arguments).recording
        let (decided, origin) = (
            recording.decidedByMode, recording.shared.format.mode == nil ? Setting.Origin.builtIn : .mode
        )
        return try OptionDefinition.all(of: RecordingOptions.self).map { option in
            if let setting = effective.settings.last(where: { $0.option.name == option.name }) { return setting }
            if let value = decided[option.name] { return Setting(option: option, value: value, origin: origin) }
            return Setting(option: option, value: RecordingOptions.defaultValue(of: option), origin: .builtIn)
        }
    }

    /// The settings, one option per line.
    private static func lines(of settings: [Setting]) -> [String] {
        let names = column(settings.map(\.option.name))
        let values = column(settings.map { $0.value ?? "-" })
        return zip(zip(names, values), settings).map { "\($0.0)  \($0.1)  \(text(of: $1.origin))" }
    }

    private static func text(of origin: Setting.Origin) -> String {
        switch origin {
        case .commandLine: "command line"
        case .profile(let name, let place): "profile \(name), \(place)"
        case .file(let place): "\(place)"
        case .mode: "mode"
        case .builtIn: "built in"
        }
    }

    private static func column(_ texts: [String]) -> [String] {
        let width = texts.map(\.count).max() ?? 0
        return texts.map { $0 + String(repeating: " ", count: width - $0.count) }
    }
}

extension ConfigCommand {
    /// A setting as printed by `accrec config --json`. The manual page documents the keys.
    struct Record: Encodable {
        let option: String
        let value: String?
        let origin: String
        var profile: String?
        var file: String?
        var line: Int?

        init(_ setting: Setting) {
            option = setting.option.name
            value = setting.value
            switch setting.origin {
            case .commandLine: origin = "command-line"
            case .profile(let name, let place):
                (origin, profile, file, line) = ("profile", name, place.path, place.line)
            case .file(let place): (origin, file, line) = ("file", place.path, place.line)
            case .mode: origin = "mode"
            case .builtIn: origin = "built-in"
            }
        }
    }
}
