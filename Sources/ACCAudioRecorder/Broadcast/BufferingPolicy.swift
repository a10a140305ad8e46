/// What is kept for a subscriber that does not read, and what happens to what is too much.
///
/// The default keeps the oldest half minute. A recogniser of live speech keeps the newest seconds instead, so that it is never
/// further behind. A test of code that has to see everything lets the recording wait.
public struct BufferingPolicy: Sendable, Hashable {
    /// What happens to what is too much.
    enum Rule: Hashable {
        case dropNewest, dropOldest, wait
    }

    let rule: Rule
    /// The length of audio that is kept, in seconds; at least one buffer is.
    let seconds: Double

    /// Keeps the oldest audio, and drops what comes after it until the subscriber reads again.
    ///
    /// - Parameter length: The length of audio that is kept, at least one buffer. The pre-roll, which comes all at once, is kept
    ///   beside it.
    public static func oldest(_ length: Duration = .seconds(30)) -> BufferingPolicy {
        BufferingPolicy(rule: .dropNewest, seconds: max(length, .zero).seconds)
    }

    /// Keeps the newest audio, and drops what came before it. What is kept grows older while nothing is recorded.
    ///
    /// - Parameter length: The length of audio that is kept; with zero one buffer, or the newest levels.
    public static func newest(_ length: Duration = .zero) -> BufferingPolicy {
        BufferingPolicy(rule: .dropOldest, seconds: max(length, .zero).seconds)
    }

    /// Drops nothing: the recording waits for the subscriber, with a second of audio. For a ``SyntheticSource``, or another source
    /// that can wait: what a sound server delivers meanwhile is lost, and recorded as a gap.
    ///
    /// While the recording is being paused or ended, it waits two seconds for a subscriber that reads nothing, which may be
    /// waiting for the recording itself; then it drops what comes.
    public static let waiting = BufferingPolicy(rule: .wait, seconds: 1)
}
