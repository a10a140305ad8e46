/// The value of an option and its origin.
struct Setting {
    /// The origin of a value, in order of decreasing precedence.
    enum Origin: Equatable {
        case commandLine
        case profile(String, FilePlace)
        case file(FilePlace)
        case mode
        case builtIn
    }

    let option: OptionDefinition
    /// As written on the command line, or `true` or `false`; nil if the option is unset.
    let value: String?
    let origin: Origin

    /// The setting as command-line arguments.
    var arguments: [String] {
        guard let value else { return [] }
        guard option.isFlag else { return ["--\(option.name)=\(value)"] }
        return (value == "true" ? option.name : option.inverse).map { ["--\($0)"] } ?? []
    }
}
