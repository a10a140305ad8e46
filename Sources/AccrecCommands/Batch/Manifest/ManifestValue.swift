/// A value of a manifest, in whatever format that is.
enum ManifestValue: Equatable {
    case text(String)
    /// As it is written on the command line.
    case number(String)
    case flag(Bool)
    case list([ManifestValue])
    case table([String: ManifestValue])

    /// The value as an option takes it: a list is joined by commas. Nil for what has no such form.
    var argument: String? {
        switch self {
        case .text(let text), .number(let text): text
        case .list(let values):
            values.reduce("") { joined, value in
                guard let joined, let text = value.argument else { return nil }
                return joined.isEmpty ? text : "\(joined),\(text)"
            }
        case .flag, .table: nil
        }
    }

    /// Whether it is true; nil for what is no such value.
    var isTrue: Bool? {
        switch self {
        case .flag(let isTrue): isTrue
        case .text(let text): Bool(text)
        case .number, .list, .table: nil
        }
    }
}
