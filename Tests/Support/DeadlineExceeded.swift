/// What was waited for did not come in time.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// What was waited for.
    public let what: String
    /// How long, in seconds.
    public let seconds: Double

    /// "no … within … seconds".
    public var description: String { "no \(what) within \(seconds) seconds" }
}
