import ArgumentParser

/// A mistake on the command line, in one line, with the word that was probably meant.
///
/// The parser itself knows the nearest option; commands and values are found here.
enum Mistake {
    /// What is to be said of an error of the parser.
    static func message(
        for error: any Error, in command: any ParsableCommand.Type, arguments: [String]
    ) -> String {
        let commands = command.configuration.subcommands.map { $0._commandName } + ["help"]
        if let word = arguments.first, !word.hasPrefix("-"), !commands.contains(word) {
            let hint = NearestWord.to(word, among: commands).map { "Did you mean '\($0)'?" }
            return "There is no command '\(word)'. \(hint ?? "'accrec help' lists them.")"
        }
        let message = message(for: error, in: command)
        let subcommand = command.configuration.subcommands.first { $0._commandName == arguments.first }
        // The parser tells first what is missing, and that may be what was misspelt.
        guard message.hasPrefix("Missing expected"), let subcommand else { return message }
        return misspelt(in: arguments.dropFirst(), of: subcommand) ?? message
    }

    /// What is to be said of the first option that the command does not have; nil where it has all of them.
    private static func misspelt(in arguments: some Sequence<String>, of command: any ParsableCommand.Type) -> String? {
        guard let options = try? OptionDefinition.all(of: command) else { return nil }
        let names = options.flatMap { [$0.name, $0.inverse].compactMap(\.self) } + ["help", "version"]
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.dropFirst(2).prefix { $0 != "=" }) }
        guard let wrong = given.first(where: { !names.contains($0) }) else { return nil }
        let hint = NearestWord.to(wrong, among: names).map { ". Did you mean '--\($0)'?" }
        return "Unknown option '--\(wrong)'\(hint ?? "")"
    }

    /// The same of options, where there is no command.
    static func message(for error: any Error, in options: any ParsableArguments.Type) -> String {
        // The parser lists the values of an option in one row or, where they are many, a line each after a hyphen:
        // "The value 'x' is invalid for '--option'. Please provide one of the following: - a - b".
        let message = oneLine(options.message(for: error))
        let parts = message.split(separator: "Please provide one of ", maxSplits: 1)
        guard parts.count == 2, let value = parts[0].split(separator: "'").dropFirst().first else { return message }
        let values = parts[1].split { " ',.:".contains($0) }.map(String.init)
            .filter { !["or", "the", "following", "-"].contains($0) }
        let hint = NearestWord.to(String(value), among: values).map { " Did you mean '\($0)'?" } ?? ""
        return "\(parts[0])Give one of \(values.joined(separator: ", ")).\(hint)"
    }

    private static func oneLine(_ message: String) -> String {
        message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
