/// The source that a recording uses, and why.
public struct SourceChoice: Sendable, Hashable {
    /// The source.
    public let source: AudioSource
    /// Why it was chosen.
    public let reason: Reason

    /// Creates a choice, for tests of code that receives lists of sources.
    public init(source: AudioSource, reason: Reason) {
        self.source = source
        self.reason = reason
    }

    /// Why a source was chosen.
    public enum Reason: Sendable, Hashable {
        /// The configuration names it.
        case named
        /// `PULSE_SOURCE` names it.
        case namedByEnvironment
        /// It is the server's default.
        case serverDefault
        /// It is the best other source, because the server's default cannot be used.
        case best(DefaultObstacle)
    }

    /// Why the server's default is not used.
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
    /// The reason, human-readable: `the server's default`, or `built in; the server's default is a monitor`.
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
    /// Human-readable: `the server's default is a monitor`.
    public var description: String {
        switch self {
        case .missing: "the server has no default"
        case .monitor: "the server's default is a monitor"
        case .bluetooth: "the server's default is Bluetooth"
        case .unavailable: "the server's default is not plugged in"
        }
    }
}
