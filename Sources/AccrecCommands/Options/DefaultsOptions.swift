import ACCAudioRecorder
import ArgumentParser
import FoundationEssentials

/// Options that select the user's defaults.
struct DefaultsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Use this profile of the configuration file.", valueName: "name"),
        completion: .custom { words, _, _ in Completions.offered(profileNames(words)) })
    var profile: String?

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file. (default: $XDG_CONFIG_HOME/accrec/config.toml)", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var path: String?

    @Flag(name: .customLong("no-config"), help: "Ignore the configuration file.")
    var isWithoutFile = false

    func validate() throws {
        if isWithoutFile, profile != nil || path != nil {
            throw ValidationError("--no-config excludes --config and --profile")
        }
    }

    /// The file to read; nil if disabled, or if none is given and the user's does not exist.
    var file: String? {
        guard !isWithoutFile else { return nil }
        return path ?? Self.userFile.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
    }

    /// The settings of the file, in order of decreasing precedence.
    ///
    /// - Throws: `ValidationError` for a mistake in the file or an unknown profile.
    func settings() throws -> [Setting] {
        if let file {
            let options = try DefaultsFile.Options(RecordingOptions.self, of: RecordCommandOptions.self)
            return try DefaultsFile(path: file, options: options).settings(profile: profile)
        }
        if let profile {
            throw ValidationError(
                "no profile '\(profile)': there is no \(Self.userFile ?? "home directory")")
        }
        return []
    }

    /// The path by the XDG Base Directory Specification, which says to ignore relative paths.
    static var userFile: String? {
        let directories = [
            Environment.Variable.configurationHome.value, Environment.Variable.home.value.map { "\($0)/.config" },
        ]
        return directories.compactMap { $0 }.first { $0.hasPrefix("/") }.map { "\($0)/accrec/config.toml" }
    }

    /// The profile names for completions, given the words of the command line so far.
    private static func profileNames(_ words: [String]) -> [String] {
        let named = Completions.value(of: "--config", in: words)
        return (named ?? userFile).map(DefaultsFile.profileNames) ?? []
    }
}

extension DefaultsOptions {
    /// The settings of the command line, a profile and the user's defaults, each overriding the next: one for each option
    /// that is set anywhere. Also the same as a command line, ending with the user's own arguments. A mode also overrides what
    /// it decides: one on the command line the rate of the profile.
    ///
    /// - Parameter own: The user's own arguments, already accepted by the command's parser.
    /// - Throws: `ValidationError` for a mistake in the configuration file.
    func effectiveSettings(
        of command: any ParsableCommand.Type, arguments own: [String]
    ) throws -> (settings: [Setting], arguments: [String]) {
        var arguments = own
        let options = try OptionDefinition.all(of: RecordingOptions.self)
        var effective = Setting.all(of: own, try OptionDefinition.all(of: command)).filter { setting in
            options.contains { $0.name == setting.option.name }
        }
        var rest = try settings()
        // Who names a source means that one, not one more; and the microphone is the one that the file names.
        if let named = (effective + rest).first(where: { InputOptions.naming.contains($0.option.name) }) {
            if let mic = effective.firstIndex(where: { $0.option.name == "mic" && $0.value == "true" }),
                let device = rest.first(where: { $0.option.name == "device" }), device.values.count == 1
            {
                effective[mic] = device
                arguments = device.arguments + arguments.filter { $0 != "--mic" }
            }
            rest.removeAll { named.origin.overrides($0.origin) && InputOptions.naming.contains($0.option.name) }
        }
        if let mode = (effective + rest).first(where: { $0.option.name == "mode" }) {
            let decided = ACCAudioRecorder.AudioSessionMode.default.settings.keys
            rest.removeAll { mode.origin.overrides($0.origin) && decided.contains($0.option.name) }
        }
        var count: Int
        repeat {
            count = rest.count
            rest.removeAll { setting in
                guard !effective.contains(where: { $0.option.name == setting.option.name }) else { return true }
                // Skip a default that the command does not know, that conflicts with what overrides it, or that needs
                // a later one.
                guard (try? command.parse(setting.arguments + arguments)) != nil else { return false }
                effective.append(setting)
                arguments = setting.arguments + arguments
                return true
            }
        } while rest.count < count
        return (effective, arguments)
    }
}

/// A command whose options may have defaults in the user's configuration file.
protocol DefaultedCommand: ParsableCommand {
    var defaults: DefaultsOptions { get }
}

extension DefaultedCommand {
    /// The command with the user's defaults in front of its own arguments.
    ///
    /// - Throws: `ValidationError` for a mistake in the configuration file.
    func applyingDefaults(to arguments: [String]) throws -> any ParsableCommand {
        // Looking up all options takes as long as everything else until the recording starts.
        guard defaults.file != nil || defaults.profile != nil else { return self }
        return try Self.parseAsRoot(try defaults.effectiveSettings(of: Self.self, arguments: arguments).arguments)
    }
}
