import ACCAudioRecorder
import ArgumentParser
import TOML

/// The user's configuration file: defaults for options of a command, and profiles that override them. Its keys are the
/// options' long names.
struct DefaultsFile {
    /// The maximum length in bytes.
    private static let longest = 256 << 10

    private let path: String
    private let defaults: [Setting]
    private let profiles: [String: [Setting]]

    /// Reads a file and checks its content.
    ///
    /// - Throws: ``FileMistakes`` with all mistakes; a `ValidationError` if it cannot be read.
    init(path: String, options: Options) throws {
        self.path = path
        let document = try Self.document(path: path)
        var mistakes = FileMistakes(path: path)
        defaults = try Section(table: document, path: path, profile: nil, options: options).settings(&mistakes)
        var profiles: [String: [Setting]] = [:]
        for entry in document.table("profile")?.entries ?? [] {
            guard case .table(let table) = entry.value else {
                mistakes.add("a profile must be a table, such as [profile.podcast]", line: entry.line)
                continue
            }
            let section = Section(table: table, path: path, profile: entry.key, options: options)
            profiles[entry.key] = try section.settings(&mistakes)
        }
        guard mistakes.isEmpty else { throw mistakes }
        self.profiles = profiles
    }

    /// The names of the profiles in a file; empty if it cannot be read.
    static func profileNames(path: String) -> [String] {
        let document = try? document(path: path)
        return document?.table("profile")?.entries.map(\.key) ?? []
    }

    /// The settings of the file, in order of decreasing precedence.
    ///
    /// - Throws: `ValidationError` if there is no such profile.
    func settings(profile name: String?) throws -> [Setting] {
        guard let name else { return defaults }
        guard let profile = profiles[name] else {
            let hint = NearestWord.to(name, among: profiles.keys).map { "Did you mean '\($0)'?" }
            let all = profiles.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")
            throw ValidationError(
                "no profile '\(name)' in \(path). "
                    + (profiles.isEmpty ? "It has none." : hint ?? "It has \(all)."))
        }
        return profile + defaults
    }

    /// - Throws: `ValidationError` if the file cannot be read; ``FileMistakes`` if it is not TOML.
    private static func document(path: String) throws -> TOMLTable {
        do {
            return try TOMLParser.table(of: SettingsText(path: path, longest: longest).text)
        } catch let failure as TOMLParser.Failure {
            var mistakes = FileMistakes(path: path)
            mistakes.add(failure.message, line: failure.line)
            throw mistakes
        } catch SettingsText.Failure.unreadable(let error) {
            throw ValidationError("cannot read '\(path)': \(error)")
        } catch SettingsText.Failure.tooLong(let longest) {
            throw ValidationError("cannot read '\(path)': it is longer than \(ByteText.short(longest))")
        } catch SettingsText.Failure.notText(let found) {
            var mistakes = FileMistakes(path: path)
            for mistake in found { mistakes.add(mistake.message, line: mistake.line) }
            throw mistakes
        }
    }
}

extension DefaultsFile {
    /// The options that a configuration file may set.
    struct Options {
        /// The options that may have defaults.
        let group: any ParsableArguments.Type
        /// The parser's definitions of these options.
        let definitions: [OptionDefinition]
        /// The command that they belong to. Its other options have to be given each time.
        let command: any ParsableArguments.Type

        init(_ group: any ParsableArguments.Type, of command: any ParsableArguments.Type) throws {
            self.group = group
            self.command = command
            definitions = try OptionDefinition.all(of: group)
        }
    }
}
