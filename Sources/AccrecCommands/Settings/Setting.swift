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
    /// As written on the command line, or `true` or `false`; none if the option is unset, several only for one that may be
    /// repeated.
    let values: [String]
    let origin: Origin

    init(option: OptionDefinition, values: [String], origin: Origin) {
        (self.option, self.values, self.origin) = (option, values, origin)
    }

    init(option: OptionDefinition, value: String?, origin: Origin) {
        self.init(option: option, values: value.map { [$0] } ?? [], origin: origin)
    }

    /// The value to show; nil if the option is unset.
    var value: String? { values.isEmpty ? nil : values.joined(separator: ", ") }

    /// The setting as command-line arguments.
    var arguments: [String] {
        values.flatMap { value -> [String] in
            guard option.isFlag else { return ["--\(option.name)=\(value)"] }
            return (value == "true" ? option.name : option.inverse).map { ["--\($0)"] } ?? []
        }
    }
}
