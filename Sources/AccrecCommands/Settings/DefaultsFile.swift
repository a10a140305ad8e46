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

    /// A section of a configuration file: the part before its tables, or one profile.
    struct Section {
        let table: TOMLTable
        let path: String
        /// Nil for the part before the tables.
        let profile: String?
        let options: DefaultsFile.Options

        /// Its settings in the order of the lines, each checked by the command-line parser.
        ///
        /// - Parameter mistakes: Collects the mistakes; those settings are left out.
        func settings(_ mistakes: inout FileMistakes) throws -> [Setting] {
            let settings = try table.entries.filter { !isProfiles($0) }.compactMap { entry -> Setting? in
                guard !mistakes.isFull else { return nil }
                do {
                    return try setting(entry)
                } catch let mistake as Mistake {
                    mistakes.add(mistake.message, line: entry.line)
                    return nil
                }
            }
            // Look for the invalid settings only if they fail together.
            guard (try? options.group.parse(settings.flatMap(\.arguments))) == nil else { return settings }
            var valid: [Setting] = []
            var rest = settings
            var failures: [(line: Int, message: String)]
            repeat {
                failures = []
                // One setting may need another below it.
                let accepted = rest.filter { setting in
                    do {
                        _ = try options.group.parse((valid + [setting]).flatMap(\.arguments))
                        valid.append(setting)
                        return true
                    } catch {
                        let message = UsageMessage.message(for: error, in: options.group)
                        failures.append((line(of: setting), message.replacing("--", with: "")))
                        return false
                    }
                }
                rest.removeAll { setting in accepted.contains { $0.option.name == setting.option.name } }
                if accepted.isEmpty { break }
            } while !rest.isEmpty
            for failure in failures { mistakes.add(failure.message, line: failure.line) }
            return valid
        }

        private struct Mistake: Error {
            let message: String
        }

        private func isProfiles(_ entry: TOMLTable.Entry) -> Bool {
            guard case .table = entry.value else { return false }
            return profile == nil && entry.key == "profile"
        }

        private func setting(_ entry: TOMLTable.Entry) throws -> Setting {
            guard let option = options.definitions.first(where: { $0.name == entry.key }) else {
                if case .table = entry.value {
                    throw Mistake(message: "unknown table; a profile is written [profile.\(entry.key)]")
                }
                throw Mistake(message: try unknown(entry.key))
            }
            let place = SettingsText.Place(path: path, line: entry.line)
            return Setting(
                option: option, values: option.isFlag ? [try flag(entry)] : try texts(entry, of: option),
                origin: profile.map { .profile($0, place) } ?? .file(place))
        }

        private func flag(_ entry: TOMLTable.Entry) throws -> String {
            guard case .flag(let flag) = entry.value else {
                throw Mistake(message: "'\(entry.key)' must be true or false")
            }
            return String(flag)
        }

        /// The values as texts: each element of an array for an option that may be repeated.
        private func texts(_ entry: TOMLTable.Entry, of option: OptionDefinition) throws -> [String] {
            guard option.mayRepeat, case .array(let list) = entry.value else { return [try text(entry, entry.value)] }
            return try list.map { try text(entry, $0) }
        }

        /// The value as text. The elements of an array are joined by commas, as options take lists.
        private func text(_ entry: TOMLTable.Entry, _ value: TOMLTable.Value) throws -> String {
            switch value {
            case .text(let text):
                guard !text.unicodeScalars.contains("\0") else {
                    throw Mistake(message: "'\(entry.key)' contains a NUL character")
                }
                return text
            case .integer(let number): return String(number)
            case .float(let number): return String(number)
            case .array(let list): return try list.map { try text(entry, $0) }.joined(separator: ",")
            case .flag, .time, .date, .table:
                throw Mistake(message: "'\(entry.key)' must be a number or a quoted string")
            }
        }

        private func unknown(_ key: String) throws -> String {
            if try OptionDefinition.all(of: options.command).contains(where: { $0.name == key }) {
                return "'\(key)' cannot have a default: it is set for each recording"
            }
            let hint = NearestWord.to(key, among: options.definitions.map(\.name)).map { "Did you mean '\($0)'?" }
            return "unknown option '\(key)'. \(hint ?? "'accrec help record' lists them.")"
        }

        private func line(of setting: Setting) -> Int { table[setting.option.name]?.line ?? table.line }
    }
}
