import ArgumentParser
import FoundationEssentials

/// A command-line option as the parser defines it.
struct OptionDefinition: Equatable {
    /// The long name, which is also the key in the configuration file.
    let name: String
    /// Its letters on the command line.
    let letters: [String]
    /// Further long names on the command line.
    let otherNames: [String]
    /// Whether it takes no value but is on or off.
    let isFlag: Bool
    /// Whether it may be given several times, each with a value.
    let mayRepeat: Bool
    /// The long name that turns it off, or nil if there is none.
    let inverse: String?
    /// The default as written on the command line, or `true` or `false`; nil if it is unset by default, or the parser does not know.
    let defaultValue: String?

    /// All options of a command or option group, in the order of the help text.
    static func all(of type: any ParsableArguments.Type) throws -> [OptionDefinition] {
        let arguments = try Dump(of: type).command.arguments ?? []
        let names = Set(arguments.flatMap(\.longNames))
        return arguments.compactMap { argument in
            guard let name = argument.longNames.first, name != "help" else { return nil }
            guard !names.contains(where: { "no-\($0)" == name }) else { return nil }
            let inverse = "no-\(name)"
            return OptionDefinition(
                name: name, letters: argument.letters,
                otherNames: argument.isFlag ? [] : Array(argument.longNames.dropFirst()), isFlag: argument.isFlag,
                mayRepeat: argument.isRepeating && !argument.isFlag, inverse: names.contains(inverse) ? inverse : nil,
                defaultValue: argument.isFlag
                    ? argument.defaultValue.map { String($0 == "--\(name)") }
                    : argument.defaultValue)
        }
    }
}

// MARK: - The parser's JSON dump of its options

extension OptionDefinition {
    private struct Dump: Decodable {
        let command: Command

        init(of type: any ParsableArguments.Type) throws {
            var answer = ""
            do {
                _ = try type.parse(["--experimental-dump-help"])
            } catch {
                answer = type.fullMessage(for: error)
            }
            self = try JSONDecoder().decode(Self.self, from: Data(answer.utf8))
        }
    }

    private struct Command: Decodable {
        let arguments: [Argument]?
    }

    private struct Argument: Decodable {
        let kind: String
        let isRepeating: Bool
        let names: [Name]?
        let defaultValue: String?

        var isFlag: Bool { kind == "flag" }
        var longNames: [String] { names?.filter { $0.kind == "long" }.map(\.name) ?? [] }
        var letters: [String] { names?.filter { $0.kind == "short" }.map(\.name) ?? [] }
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }
}

extension NameSpecification {
    /// A letter, whose value may follow without a space as in `-c2`, and the long name.
    static func longAndJoined(_ letter: Character) -> NameSpecification {
        [.customShort(letter, allowingJoined: true), .long]
    }
}
