/// A source that came or went, by the server's number.
enum SourceChange: Sendable, Hashable {
    case added(UInt32)
    case removed(UInt32)
}
