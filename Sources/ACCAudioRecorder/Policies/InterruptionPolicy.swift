/// What a recording does when it is interrupted.
public struct InterruptionPolicy: Sendable, Hashable {
    /// What a recording does when its device is gone.
    @nonexhaustive
    public enum DisconnectBehavior: String, Sendable, Hashable, CaseIterable {
        /// Waits for the device and continues in the same outputs.
        case pause
        /// Continues in the same outputs with the best of the other sources; waits if there is none.
        case fallback
        /// Ends and keeps what was recorded.
        case stop
        /// Ends and removes its files.
        case discard
    }

    /// What a recording does while another program is in a call: has a stream with role `phone` or `Communication`.
    @nonexhaustive
    public enum CallBehavior: String, Sendable, Hashable, CaseIterable {
        /// Pauses when a call begins, and continues when all calls are over.
        case pause
        /// Continues.
        case ignore
        /// Ends when a call begins, and keeps what was recorded.
        case stop
        /// Ends when a call begins, and removes its files.
        case discard
    }

    /// What the recording does when its device is gone; `pause` by default.
    public var onDisconnect: DisconnectBehavior
    /// How long an interrupted recording waits before it ends and keeps what was recorded; a minute by default, nil for as long as
    /// the interruption lasts. Time during which the machine sleeps does not count.
    public var timeout: Duration?
    /// Whether gaps are filled with silence, so that the recording keeps to real time; by default they are not. Gaps
    /// are reported either way.
    public var fillsGaps: Bool

    /// What the recording does when a call begins; nil for `ignore` where one of several inputs is the desktop or an application,
    /// as for both sides of a call, and else for the session mode's default.
    public var onCall: CallBehavior?
    /// Whether a recording of several inputs begins only if all are there, and is interrupted as soon as one is away. By
    /// default, the first one must be there at the start; others are silent until they come, and one that goes is silent
    /// until it returns, as long as any delivers.
    public var requiresAllInputs = false
    /// Whether the recording follows the server's default source when it changes; by default it does not.
    public var followsDefault: Bool

    /// Creates a policy.
    public init(
        onDisconnect: DisconnectBehavior = .pause, timeout: Duration? = .seconds(60), fillsGaps: Bool = false,
        onCall: CallBehavior? = nil, followsDefault: Bool = false
    ) {
        self.onDisconnect = onDisconnect
        self.onCall = onCall
        self.followsDefault = followsDefault
        self.timeout = timeout
        self.fillsGaps = fillsGaps
    }
}
