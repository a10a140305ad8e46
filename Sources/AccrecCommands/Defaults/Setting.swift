/// A value of an option, and where it comes from.
struct Setting {
    /// Where a value comes from: the first of these that has one.
    enum Origin: Equatable {
        case commandLine
        case profile(String, FilePlace)
        case file(FilePlace)
        case mode
        case builtIn
    }

    let option: OptionDefinition
    /// As on the command line, or `true` or `false`; nil where the option is unset.
    let value: String?
    let origin: Origin

    /// The setting on a command line.
    var arguments: [String] {
        guard let value else { return [] }
        guard option.isFlag else { return ["--\(option.name)=\(value)"] }
        return (value == "true" ? option.name : option.inverse).map { ["--\($0)"] } ?? []
    }
}
