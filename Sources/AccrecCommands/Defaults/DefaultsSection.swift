import ArgumentParser
import TOMLKit

/// The part of a configuration file that stands ahead of its tables, or one profile.
struct DefaultsSection {
    let document: TOMLDocument
    let profile: String?

    /// What it sets, in the order of its lines, each checked by the parser of the command line.
    func settings() throws -> [Setting] {
        let options = try OptionDefinition.all(of: TakeOptions.self)
        let settings = try entries.map { try setting(key: $0.key, value: $0.value, options) }
        for (index, setting) in settings.enumerated() {
            do {
                _ = try TakeOptions.parse(settings[...index].flatMap(\.arguments))
            } catch {
                let message = Mistake.message(for: error, in: TakeOptions.self)
                throw mistake(setting.option.name, message.replacing("--", with: ""))
            }
        }
        return settings
    }

    private var path: [String] { profile.map { ["profile", $0] } ?? [] }

    private var entries: [(key: String, value: any TOMLValueConvertible)] {
        get throws {
            let all = try profile.map(table(of:)) ?? document.table
            return all.map { (key: $0.0, value: $0.1) }
                .filter { profile != nil || $0.key != "profile" || $0.value.table == nil }
                .sorted { place(of: $0.key).line < place(of: $1.key).line }
        }
    }

    private func table(of profile: String) throws -> TOMLTable {
        guard let table = document.table["profile"]?.table?[profile]?.table else {
            throw ValidationError("\(document.place(of: path)): profiles are tables, such as [profile.podcast]")
        }
        return table
    }

    private func place(of key: String) -> FilePlace { document.place(of: path + [key]) }

    private func setting(
        key: String, value: any TOMLValueConvertible, _ options: [OptionDefinition]
    ) throws -> Setting {
        guard let option = options.first(where: { $0.name == key }) else {
            throw value.table == nil
                ? try unknown(key, options) : mistake(key, "tables are profiles, such as [profile.\(key)]")
        }
        return Setting(
            option: option, value: option.isFlag ? try flag(key, value) : try text(key, value),
            origin: profile.map { .profile($0, place(of: key)) } ?? .file(place(of: key)))
    }

    private func flag(_ key: String, _ value: any TOMLValueConvertible) throws -> String {
        guard let flag = value.bool else { throw mistake(key, "'\(key)' is true or false") }
        return String(flag)
    }

    /// An array is a list as the option takes it: joined by commas.
    private func text(_ key: String, _ value: any TOMLValueConvertible) throws -> String {
        if let text = value.string { return text }
        if let number = value.int { return String(number) }
        if let number = value.double { return String(number) }
        if let list = value.array { return try list.map { try text(key, $0) }.joined(separator: ",") }
        throw mistake(key, "'\(key)' takes a number or a text in quotes")
    }

    private func unknown(_ key: String, _ options: [OptionDefinition]) throws -> ValidationError {
        if try OptionDefinition.all(of: RecordCommand.self).contains(where: { $0.name == key }) {
            return mistake(key, "'\(key)' has no default: it is given for each take anew")
        }
        let hint = NearestWord.to(key, among: options.map(\.name)).map { "Did you mean '\($0)'?" }
        return mistake(key, "there is no option '\(key)'. \(hint ?? "'accrec help record' lists them.")")
    }

    private func mistake(_ key: String, _ message: String) -> ValidationError {
        ValidationError("\(place(of: key)): \(message)")
    }
}
