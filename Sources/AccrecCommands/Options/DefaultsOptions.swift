import ArgumentParser
import FoundationEssentials

/// Which of the user's defaults are taken.
struct DefaultsOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Take what this profile of the configuration file sets.", valueName: "name"),
        completion: .custom { words, _, _ in profileNames(words) })
    var profile: String?

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "The configuration file. (default: $XDG_CONFIG_HOME/accrec/config.toml)", valueName: "file"),
        completion: .file(extensions: ["toml"]))
    var path: String?

    @Flag(name: .customLong("no-config"), help: "Read no configuration file.")
    var isWithoutFile = false

    func validate() throws {
        if isWithoutFile, profile != nil || path != nil {
            throw ValidationError("--no-config excludes --config and --profile")
        }
    }

    /// The file that is read; nil where there is to be none, or none is named and the user's does not exist.
    var file: String? {
        guard !isWithoutFile else { return nil }
        return path ?? Self.userFile.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
    }

    /// What the file sets, what goes before the rest first.
    ///
    /// - Throws: `ValidationError` for a mistake in the file, or where there is no such profile.
    func settings() throws -> [Setting] {
        if let file { return try DefaultsFile(path: file).settings(profile: profile) }
        if let profile {
            throw ValidationError(
                "there is no profile '\(profile)', for there is no \(Self.userFile ?? "home directory")")
        }
        return []
    }

    /// By the XDG Base Directory Specification, which has paths ignored that are not absolute.
    static var userFile: String? {
        let directories = [Environment.value("XDG_CONFIG_HOME"), Environment.value("HOME").map { "\($0)/.config" }]
        return directories.compactMap { $0 }.first { $0.hasPrefix("/") }.map { "\($0)/accrec/config.toml" }
    }

    /// For completions, which have the words of the command line so far.
    private static func profileNames(_ words: [String]) -> [String] {
        let named = CompletedWords(words: words).value(of: "--config")
        guard let path = named ?? userFile, let document = try? TOMLDocument(path: path) else { return [] }
        return DefaultsFile.profileNames(in: document)
    }
}
