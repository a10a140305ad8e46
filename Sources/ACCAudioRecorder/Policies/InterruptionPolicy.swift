/// What a recording does when it is interrupted.
///
/// In JSON a policy is an object with `on_disconnect`, `timeout` in seconds or null, `fills_gaps`, `on_call`,
/// `requires_all_inputs` and `follows_default`; what is missing has its default.
public struct InterruptionPolicy: Sendable, Hashable {
    /// What a recording does when its device is gone.
    @nonexhaustive
    public enum DisconnectBehavior: String, Sendable, Hashable, CaseIterable, Codable {
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
    public enum CallBehavior: String, Sendable, Hashable, CaseIterable, Codable {
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

extension InterruptionPolicy: Codable {
    private enum Key: String, CodingKey {
        case timeout
        case onDisconnect = "on_disconnect"
        case fillsGaps = "fills_gaps"
        case onCall = "on_call"
        case requiresAllInputs = "requires_all_inputs"
        case followsDefault = "follows_default"
    }

    /// Encodes everything.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(onDisconnect, forKey: .onDisconnect)
        // Null is no limit, which is not the default.
        try container.encode(timeout?.seconds, forKey: .timeout)
        try container.encode(fillsGaps, forKey: .fillsGaps)
        try container.encodeIfPresent(onCall, forKey: .onCall)
        try container.encode(requiresAllInputs, forKey: .requiresAllInputs)
        try container.encode(followsDefault, forKey: .followsDefault)
    }

    /// Decodes what is there.
    public init(from decoder: any Decoder) throws {
        self.init()
        let container = try decoder.container(keyedBy: Key.self)
        try container.decode(.onDisconnect, into: &onDisconnect)
        try container.decode(.timeout, into: &timeout)
        try container.decode(.fillsGaps, into: &fillsGaps)
        try container.decode(.onCall, into: &onCall)
        try container.decode(.requiresAllInputs, into: &requiresAllInputs)
        try container.decode(.followsDefault, into: &followsDefault)
    }
}
