import ArgumentParser

/// A command that takes the user's defaults.
protocol DefaultedCommand: ParsableCommand {
    var defaults: DefaultsOptions { get }
}

extension DefaultedCommand {
    /// The command with the user's defaults in front of its own arguments.
    ///
    /// - Throws: `ValidationError` for a mistake in the configuration file.
    func applyingDefaults(to arguments: [String]) throws -> any ParsableCommand {
        // To look up all options takes as long as everything else until the take starts.
        guard defaults.file != nil || defaults.profile != nil else { return self }
        let settings = try SettingsInForce(arguments: arguments, defaults: defaults, for: Self.self)
        return try Self.parseAsRoot(settings.arguments)
    }
}
