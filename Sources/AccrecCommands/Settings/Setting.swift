import ArgumentParser

/// The value of an option and its origin.
struct Setting {
    /// The origin of a value, in order of decreasing precedence.
    enum Origin: Equatable {
        case commandLine
        case profile(String, SettingsText.Place)
        case file(SettingsText.Place)
        case mode
        case builtIn

        /// Whether all settings of this origin come before those of another one.
        func overrides(_ other: Origin) -> Bool { layer < other.layer }

        private var layer: Int {
            switch self {
            case .commandLine: 0
            case .profile: 1
            case .file: 2
            case .mode: 3
            case .builtIn: 4
            }
        }
    }

    let option: OptionDefinition
    /// As written on the command line, or `true` or `false`; none if the option is unset, several only for one that may
    /// be repeated.
    let values: [String]
    let origin: Origin

    init(option: OptionDefinition, values: [String], origin: Origin) {
        (self.option, self.values, self.origin) = (option, values, origin)
    }

    init(option: OptionDefinition, value: String?, origin: Origin) {
        self.init(option: option, values: value.map { [$0] } ?? [], origin: origin)
    }

    /// The value to show; nil if the option is unset.
    var value: String? { values.isEmpty ? nil : values.joined(separator: ", ") }

    /// The setting as command-line arguments.
    var arguments: [String] {
        values.flatMap { value -> [String] in
            guard option.isFlag else { return ["--\(option.name)=\(value)"] }
            return (value == "true" ? option.name : option.inverse).map { ["--\($0)"] } ?? []
        }
    }
}

// MARK: - On the command line

extension Setting {
    /// The settings of a command line that the parser has accepted.
    ///
    /// - Parameter options: All options of the command, needed to tell values from options.
    static func all(of arguments: [String], _ options: [OptionDefinition]) -> [Setting] {
        var words = CommandLineWords(arguments, options: options)
        return words.given().map { Setting(option: $0.option, value: $0.value, origin: .commandLine) }
    }

    /// Rejects an option that is given twice, so that the first value would have no effect.
    static func rejectRepetition(in arguments: [String], of command: any ParsableCommand.Type) throws {
        guard mayRepeat(arguments) else { return }
        var names: Set<String> = []
        for setting in all(of: arguments, try OptionDefinition.all(of: command)) where !setting.option.isFlag {
            guard !setting.option.mayRepeat, !names.insert(setting.option.name).inserted else {
                continue
            }
            throw ValidationError("--\(setting.option.name) can be given only once")
        }
    }

    /// Whether an option may be given twice, by the names alone: the parser takes as long to list its options as a
    /// recording takes to start. A value behind a letter, as in `-mmeasurement`, counts as letters, too.
    private static func mayRepeat(_ arguments: [String]) -> Bool {
        let names = arguments.prefix { $0 != "--" }.flatMap { argument -> [String] in
            let name = argument.prefix { $0 != "=" }
            if name.hasPrefix("--") { return [String(name.dropFirst(2))] }
            return name.hasPrefix("-") ? name.dropFirst().map { namesOfLetters[$0] ?? String($0) } : []
        }
        return Set(names).count < names.count
    }

    /// The long names of the options that have a letter, of all commands.
    static let namesOfLetters: [Character: String] = [
        "b": "buffer-size", "c": "channels", "d": "device", "j": "jobs", "m": "mode", "o": "output", "q": "quiet",
        "r": "rate",
    ]
}
