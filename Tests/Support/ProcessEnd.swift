/// How a process ended.
public enum ProcessEnd: Equatable, Sendable {
    /// It exited with this status.
    case exit(Int32)
    /// This signal ended it.
    case signal(Int32)
}
