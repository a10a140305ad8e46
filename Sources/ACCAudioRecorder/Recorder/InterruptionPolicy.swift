import FoundationEssentials

/// What a recording does when it is interrupted.
public struct InterruptionPolicy: Sendable, Hashable {
    /// What a recording does when its device goes.
    public enum DisconnectBehavior: String, Sendable, Hashable, CaseIterable {
        /// It waits for the device, and goes on in the same outputs.
        case pause
        /// It goes on with the best of the other sources, in the same outputs; where there is none it waits.
        case fallback
        /// It ends, and keeps what it has.
        case stop
        /// It ends, and removes what it has written.
        case discard
    }

    /// What a recording does while another program has a call: a stream of role `phone` or `Communication`.
    public enum CallBehavior: String, Sendable, Hashable, CaseIterable {
        /// It pauses when a call begins, and goes on when all are over.
        case pause
        /// It goes on.
        case ignore
    }

    /// What the recording does when its device goes; `pause` by default.
    public var onDisconnect: DisconnectBehavior
    /// How long it waits, in seconds, before it ends and keeps what it has; 60 by default. While the machine sleeps
    /// nothing can come back, so that does not count.
    public var timeout: TimeInterval
    /// Whether what is missing is replaced by silence, so that the recording stays true to time; by default it is
    /// closed up. Either way it is reported.
    public var fillsGaps: Bool

    /// What the recording does when a call begins; nil for the session mode's.
    public var onCall: CallBehavior?
    /// Whether the recording follows the server's default source when that changes; by default it stays where it is.
    public var followsDefault: Bool

    /// A policy.
    public init(
        onDisconnect: DisconnectBehavior = .pause, timeout: TimeInterval = 60, fillsGaps: Bool = false,
        onCall: CallBehavior? = nil, followsDefault: Bool = false
    ) {
        self.onDisconnect = onDisconnect
        self.onCall = onCall
        self.followsDefault = followsDefault
        self.timeout = timeout
        self.fillsGaps = fillsGaps
    }
}
