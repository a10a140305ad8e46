import ArgumentParser

/// A command whose help differs from what the parser makes of its options.
protocol HelpfulCommand: ParsableCommand {
    /// What `-h` shows: the options that most people need, on one screen; nil for the same as `--help`.
    static var shortHelp: String? { get }
    /// The command whose options `--help` lists.
    static var helpContents: any ParsableCommand.Type { get }
    /// Command lines at the end of `--help`, each with what it does.
    static var examples: [HelpExample] { get }
}

extension HelpfulCommand {
    static var shortHelp: String? { nil }
    static var helpContents: any ParsableCommand.Type { Self.self }
}

/// A command line in help, and what it does.
struct HelpExample {
    let command: String
    let effect: String

    init(_ command: String, _ effect: String) {
        (self.command, self.effect) = (command, effect)
    }
}

/// The help that a command line asks for.
struct HelpText {
    let text: String

    /// - Returns: Nil where the command line asks for no help, or for one that the parser makes.
    init?(for arguments: [String], of root: any ParsableCommand.Type, introduction: String) {
        if arguments == ["-h"] {
            text = introduction
            return
        }
        let isHelpCommand = arguments.first == "help"
        let name = isHelpCommand ? arguments.dropFirst().first : arguments.first
        let commands = root.configuration.subcommands
        guard let command = commands.first(where: { $0.configuration.commandName == name }) as? any HelpfulCommand.Type
        else { return nil }
        let words = arguments.prefix { $0 != "--" }
        if !isHelpCommand, words.contains("-h"), let short = command.shortHelp {
            text = short
        } else if isHelpCommand || words.contains("-h") || words.contains("--help") {
            text = Self.full(command, of: root)
        } else {
            return nil
        }
    }

    private static func full(_ command: any HelpfulCommand.Type, of root: any ParsableCommand.Type) -> String {
        let contents = command.helpContents
        let help = contents == command ? root.helpMessage(for: command) : contents.helpMessage()
        let width = (command.examples.map(\.command.count).max() ?? 0) + 2
        let examples = command.examples.map { example in
            let padding = String(repeating: " ", count: width - example.command.count)
            return "  \(example.command)\(padding)\(example.effect)"
        }
        return help + "\nEXAMPLES:\n" + examples.joined(separator: "\n") + "\n"
    }
}
