/// Something at the server that is not as it was, by the server's number for it.
enum ServerChange: Sendable, Hashable {
    /// What happened to it.
    enum Kind: Sendable, Hashable {
        case added, changed, removed
    }

    case source(Kind, UInt32)
    case sink(Kind, UInt32)
    case stream(Kind, UInt32)
    case playback(Kind, UInt32)
    /// The server's defaults, or what else it says of itself.
    case server
}
