import ArgumentParser

/// What is set on a command line, in a profile and by the user's defaults, each going before the next.
struct SettingsInForce {
    /// One for each option that is set anywhere.
    private(set) var settings: [Setting]
    /// They as a command line, those of the user's own at its end.
    private(set) var arguments: [String]

    /// - Parameters:
    ///   - arguments: The user's own, which the command's parser has accepted.
    ///   - defaults: Which defaults to take.
    /// - Throws: `ValidationError` for a mistake in the configuration file.
    init(arguments: [String], defaults: DefaultsOptions, for command: any ParsableCommand.Type) throws {
        self.arguments = arguments
        settings = CommandLineSettings.of(arguments, try OptionDefinition.all(of: TakeOptions.self))
        for setting in try defaults.settings() where !settings.contains(where: { $0.option == setting.option }) {
            // What the command does not know, or excludes what goes before, gives way.
            guard (try? command.parse(setting.arguments + self.arguments)) != nil else { continue }
            settings.append(setting)
            self.arguments = setting.arguments + self.arguments
        }
    }
}
