import ArgumentParser

/// A command whose help differs from what the parser makes of its options.
protocol HelpfulCommand: ParsableCommand {
    /// What `-h` shows: the options that most people need, on one screen; nil for the same as `--help`.
    static var shortHelp: String? { get }
    /// The command whose options `--help` lists.
    static var helpContents: any ParsableCommand.Type { get }
    /// Command lines at the end of `--help`, each with what it does.
    static var examples: [(command: String, effect: String)] { get }
}

extension HelpfulCommand {
    static var shortHelp: String? { nil }
    static var helpContents: any ParsableCommand.Type { Self.self }
}

extension ParsableCommand {
    /// The help that a command line of this root command asks for; nil where it asks for none, or for one that the parser
    /// makes.
    static func help(for arguments: [String], introduction: String) -> String? {
        if arguments == ["-h"] { return introduction }
        if arguments == ["--help"] || arguments == ["help"] {
            return introduction + "\n\nUSAGE: accrec <command> [<options>], or accrec --version"
        }
        let isHelpCommand = arguments.first == "help"
        let name = isHelpCommand ? arguments.dropFirst().first : arguments.first
        let commands = configuration.subcommands
        guard let command = commands.first(where: { $0.configuration.commandName == name }) as? any HelpfulCommand.Type
        else { return nil }
        let words = arguments.prefix { $0 != "--" }
        if !isHelpCommand, words.contains("-h"), let short = command.shortHelp {
            return short
        }
        return isHelpCommand || words.contains("-h") || words.contains("--help") ? fullHelp(of: command) : nil
    }

    private static func fullHelp(of command: any HelpfulCommand.Type) -> String {
        let contents = command.helpContents
        let help = contents == command ? helpMessage(for: command) : contents.helpMessage()
        let width = (command.examples.map(\.command.count).max() ?? 0) + 2
        let examples = command.examples.map { example in
            let padding = String(repeating: " ", count: width - example.command.count)
            return "  \(example.command)\(padding)\(example.effect)"
        }
        return help + "\nEXAMPLES:\n" + examples.joined(separator: "\n") + "\n"
    }
}
