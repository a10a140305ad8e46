/// The source that a recording takes, and why that one.
public struct SourceChoice: Sendable, Hashable {
    /// The source.
    public let source: AudioSource
    /// Why it is taken.
    public let reason: Reason

    /// Why a source is taken.
    public enum Reason: Sendable, Hashable {
        /// The configuration names it.
        case named
        /// `PULSE_SOURCE` names it.
        case namedByEnvironment
        /// It is the server's default.
        case serverDefault
        /// It is the best of the others, because the server's default cannot be taken.
        case best(DefaultObstacle)
    }

    /// Why the server's default is not taken.
    public enum DefaultObstacle: String, Sendable, Hashable, CaseIterable {
        /// The server has no default.
        case missing
        /// It is a monitor, and monitors are not allowed.
        case monitor
        /// It is a Bluetooth device, and those are not allowed.
        case bluetooth
        /// It is not plugged in, and another source is.
        case unavailable
    }
}

extension SourceChoice: CustomStringConvertible {
    /// The reason for people: `the server's default`, or `built in; the server's default is a monitor`.
    public var description: String {
        switch reason {
        case .named: "named"
        case .namedByEnvironment: "named by PULSE_SOURCE"
        case .serverDefault: "the server's default"
        case .best(let obstacle): "\(source.kind); \(obstacle)"
        }
    }
}

extension SourceChoice.DefaultObstacle: CustomStringConvertible {
    /// For people: `the server's default is a monitor`.
    public var description: String {
        switch self {
        case .missing: "the server has no default"
        case .monitor: "the server's default is a monitor"
        case .bluetooth: "the server's default is Bluetooth"
        case .unavailable: "the server's default is not plugged in"
        }
    }
}
