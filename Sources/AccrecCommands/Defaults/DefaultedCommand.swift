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
        let settings = try SettingsInForce(arguments: arguments, defaults: defaults, for: Self.self)
        return try Self.parseAsRoot(settings.arguments)
    }
}
