/// What a command line sets that the parser has accepted.
enum CommandLineSettings {
    static func of(_ arguments: [String], _ options: [OptionDefinition]) -> [Setting] {
        arguments.indices.flatMap { index -> [Setting] in
            let (names, value) = names(in: arguments[index])
            return names.compactMap { name in
                guard let option = options.first(where: { $0.answers(to: name) }) else { return nil }
                let next = arguments.index(after: index)
                let text = option.isFlag ? String(name != option.inverse) : value ?? arguments[next]
                return Setting(option: option, value: text, origin: .commandLine)
            }
        }
    }

    /// The names in an argument, several letters in one for instance, and the value after an equals sign.
    private static func names(in argument: String) -> (names: [String], value: String?) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let value = parts.count == 2 ? parts[1] : nil
        if parts[0].hasPrefix("--") { return ([String(parts[0].dropFirst(2))], value) }
        return (parts[0].hasPrefix("-") ? parts[0].dropFirst().map(String.init) : [], value)
    }
}

extension OptionDefinition {
    fileprivate func answers(to name: String) -> Bool { name == self.name || name == inverse || letters.contains(name) }
}
