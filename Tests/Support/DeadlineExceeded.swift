/// A condition did not become true in time.
public struct DeadlineExceeded: Error, CustomStringConvertible {
    /// A description of the condition.
    public let what: String
    /// The deadline in seconds.
    public let seconds: Double

    /// "no … within … seconds".
    public var description: String { "no \(what) within \(seconds) seconds" }
}
