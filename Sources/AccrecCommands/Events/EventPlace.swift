/// Where events go, as `--events` takes it: a path, or `fd:3` for a descriptor.
enum EventPlace: Hashable {
    case file(String)
    case descriptor(Int32)

    /// Nil for nothing, and for `fd:` with what is no number.
    init?(_ argument: String) {
        if argument.hasPrefix("fd:") {
            guard let number = Int32(argument.dropFirst(3)), number >= 0 else { return nil }
            self = .descriptor(number)
        } else {
            guard !argument.isEmpty else { return nil }
            self = .file(argument)
        }
    }

    /// For people.
    var name: String {
        switch self {
        case .file(let path): "'\(path)'"
        case .descriptor(let number): "descriptor \(number)"
        }
    }
}
