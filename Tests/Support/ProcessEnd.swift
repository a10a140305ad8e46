/// How a process ended.
public enum ProcessEnd: Equatable, Sendable {
    /// It exited with this status.
    case exit(Int32)
    /// It was killed by this signal.
    case signal(Int32)
}
