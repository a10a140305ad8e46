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

    /// Whether a command takes words that are no options, such as a file.
    static func takesWords(_ type: any ParsableCommand.Type) -> Bool {
        (try? Dump(of: type).command.arguments?.contains { $0.kind == "positional" }) ?? false
    }

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

/// The words of a command line: settings, values and names that are none of an option.
struct CommandLineWords {
    /// An option that is given.
    struct Given {
        let option: OptionDefinition
        /// As written, or `true` or `false`; nil if it is missing.
        let value: String?
    }

    private var rest: ArraySlice<String>
    private let options: [OptionDefinition]
    /// What looks like an option but is none, as it was written; filled by `given()`.
    private(set) var unknown: [String] = []

    /// - Parameter options: All options of the command, needed to tell values from options.
    init(_ arguments: [String], options: [OptionDefinition]) {
        rest = arguments.prefix { $0 != "--" }
        self.options = options
    }

    /// The options in their order. Call it once.
    mutating func given() -> [Given] {
        var settings: [Given] = []
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value = parts.count == 2 ? parts[1] : nil
            if parts[0].hasPrefix("--") {
                settings += setting(parts[0], named: String(parts[0].dropFirst(2)), value)
            } else if parts[0].hasPrefix("-") {
                settings += self.settings(parts[0], value)
            }
        }
        return settings
    }

    /// The settings of letters, as in `-q`, `-qd lark`, `-c2` or `-c=2`.
    private mutating func settings(_ word: String, _ value: String?) -> [Given] {
        if word.count > 2, options.contains(where: { $0.name == word.dropFirst() }) {
            // A long name with one hyphen.
            unknown.append(word)
            return []
        }
        var settings: [Given] = []
        var letters = word.dropFirst()
        while let letter = letters.popFirst(), letter.isLetter {
            let takesValue = options.contains { !$0.isFlag && $0.answers(to: String(letter)) }
            guard takesValue, !letters.isEmpty else {
                settings += setting("-\(letter)", named: String(letter), letters.isEmpty ? value : nil)
                continue
            }
            return settings + setting("-\(letter)", named: String(letter), letters + (value.map { "=\($0)" } ?? ""))
        }
        return settings
    }

    private mutating func setting(_ word: String, named name: String, _ value: String?) -> [Given] {
        guard let option = options.first(where: { $0.answers(to: name) }) else {
            unknown.append(word)
            return []
        }
        let text = option.isFlag ? String(name != option.inverse) : value ?? nextValue(of: option)
        return [Given(option: option, value: text)]
    }

    /// The next word, unless it is an option. Only the value of --output may begin with a hyphen.
    private mutating func nextValue(of option: OptionDefinition) -> String? {
        guard let next = rest.first, option.name == "output" || next == "-" || !next.hasPrefix("-") else { return nil }
        return rest.popFirst()
    }
}

extension OptionDefinition {
    fileprivate func answers(to name: String) -> Bool {
        name == self.name || name == inverse || letters.contains(name) || otherNames.contains(name)
    }
}
