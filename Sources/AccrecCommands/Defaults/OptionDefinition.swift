import ArgumentParser
import FoundationEssentials

/// An option as the parser knows it.
struct OptionDefinition: Equatable {
    /// Its long name, which is also its key in the configuration file.
    let name: String
    /// Its other names on the command line.
    let letters: [String]
    /// Whether it has no value, but is on or off.
    let isFlag: Bool
    /// The long name that turns it off; nil where there is none.
    let inverse: String?
    /// What it is without being given, as on the command line, or `true` or `false`; nil where the option is unset.
    let defaultValue: String?

    /// All options of a command or a group, in the order in which help shows them.
    static func all(of type: any ParsableArguments.Type) throws -> [OptionDefinition] {
        let arguments = try JSONDecoder().decode(Dump.self, from: Data(type._dumpHelp().utf8)).command.arguments ?? []
        let names = Set(arguments.flatMap(\.longNames))
        return arguments.compactMap { argument in
            guard let name = argument.longNames.first, name != "help" else { return nil }
            guard !names.contains(where: { "no-\($0)" == name }) else { return nil }
            let inverse = "no-\(name)"
            return OptionDefinition(
                name: name, letters: argument.letters, isFlag: argument.isFlag,
                inverse: names.contains(inverse) ? inverse : nil,
                defaultValue: argument.isFlag
                    ? argument.defaultValue.map { String($0 == "--\(name)") }
                    : argument.defaultValue ?? argument.toldDefault)
        }
    }
}

// MARK: - How the parser tells it

extension OptionDefinition {
    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let arguments: [Argument]?
    }

    private struct Argument: Decodable {
        let kind: String
        let names: [Name]?
        let defaultValue: String?
        let abstract: String?

        var isFlag: Bool { kind == "flag" }
        var longNames: [String] { names?.filter { $0.kind == "long" }.map(\.name) ?? [] }
        var letters: [String] { names?.filter { $0.kind == "short" }.map(\.name) ?? [] }
        /// The parser tells no default of an option that is optional, but its help may.
        var toldDefault: String? { abstract?.firstMatch(of: /\(default: (\w+)\)$/).map { String($0.1) } }
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }
}
