import ArgumentParser

/// Finds the settings on a command line.
enum CommandLineSettings {
    /// The settings of a command line that the parser has accepted.
    ///
    /// - Parameter options: All options of the command, needed to tell values from options.
    static func of(_ arguments: [String], _ options: [OptionDefinition]) -> [Setting] {
        var words = CommandLineWords(arguments, options: options)
        return words.given().map { Setting(option: $0.option, value: $0.value, origin: .commandLine) }
    }

    /// Rejects an option that is given twice, so that the first value would have no effect.
    static func rejectRepetition(in arguments: [String], of command: any ParsableCommand.Type) throws {
        // Looking up the options takes as long as everything else until the take starts. A letter is always the first
        // one of the long name, so different first letters mean different options.
        let initials = arguments.prefix { $0 != "--" }.flatMap { argument -> [Character] in
            if argument.hasPrefix("--") { return Array(argument.dropFirst(2).prefix(1)) }
            return argument.hasPrefix("-") ? Array(argument.dropFirst().prefix { $0 != "=" }) : []
        }
        guard Set(initials).count < initials.count else { return }
        var names: Set<String> = []
        for setting in of(arguments, try OptionDefinition.all(of: command)) where !setting.option.isFlag {
            guard !repeatable.contains(setting.option.name), !names.insert(setting.option.name).inserted else {
                continue
            }
            throw ValidationError("--\(setting.option.name) can be given only once")
        }
    }

    private static let repeatable = ["output", "tag"]

}
