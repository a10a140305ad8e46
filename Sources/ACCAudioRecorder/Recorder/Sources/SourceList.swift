/// The sources of a sound server at one moment, and the one that a recording would use.
public struct SourceList: Sendable, Hashable {
    /// All sources, including monitors, in the server's order.
    public let sources: [AudioSource]
    /// The source that a recording would use, and why; or the error that it would fail with.
    public let choice: Result<SourceChoice, ACCAudioRecorderError>

    /// The server's default source, if it has one.
    public var defaultSource: AudioSource? { sources.first(where: \.isDefault) }

    /// Creates a list, for tests of code that receives lists of sources.
    public init(sources: [AudioSource], choice: Result<SourceChoice, ACCAudioRecorderError>) {
        self.sources = sources
        self.choice = choice
    }

    /// - Parameter requestedByEnvironment: The source that the environment specifies.
    init(_ selection: SourceSelection, requested: String?, requestedByEnvironment: String?) {
        sources = selection.sources
        choice = Result { () throws(ACCAudioRecorderError) in
            try selection.choice(requested: requested, byEnvironment: requestedByEnvironment)
        }
    }

    /// The differences from an earlier list: removed, added and changed sources, each in the server's order; then the
    /// default, then the choice.
    public func changes(since earlier: SourceList) -> [SourceListChange] {
        let before = Dictionary(earlier.sources.map { ($0.id, $0) }) { $1 }
        let now = Set(sources.map(\.id))
        var changes = earlier.sources.filter { !now.contains($0.id) }.map { SourceListChange.removed($0) }
        changes += sources.filter { before[$0.id] == nil }.map { .added($0) }
        changes += sources.compactMap { source in
            before[source.id].flatMap { $0.isEqualIgnoringDefault(as: source) ? nil : .changed(source, from: $0) }
        }
        if defaultSource?.name != earlier.defaultSource?.name { changes.append(.defaultChanged(defaultSource)) }
        let (chosen, chosenBefore) = (try? choice.get(), try? earlier.choice.get())
        if chosen?.source.id != chosenBefore?.source.id || chosen?.reason != chosenBefore?.reason {
            changes.append(.choiceChanged(choice))
        }
        return changes
    }
}

extension SourceList {
    /// Asks the server.
    init(
        connection: any CaptureConnection, for configuration: ACCAudioRecorder.Configuration
    ) async throws(CaptureFailure) {
        self.init(
            try await SourceSelection(connection: connection, for: configuration),
            requested: configuration.input.followedMonitor ?? configuration.sourceName,
            requestedByEnvironment: SourceSelection.requestedByEnvironment)
    }
}

extension AudioSource {
    fileprivate func isEqualIgnoringDefault(as other: AudioSource) -> Bool {
        var other = other
        other.isDefault = isDefault
        // A property of the server rather than of the source.
        other.graphRate = graphRate
        return self == other
    }
}

/// One difference between two lists of sources.
@nonexhaustive
public enum SourceListChange: Sendable, Hashable {
    /// A source was added. A device that is plugged in again is a new source with the same name.
    case added(AudioSource)
    /// A source was removed; its last description.
    case removed(AudioSource)
    /// A source changed.
    case changed(AudioSource, from: AudioSource)
    /// The server's default source changed; nil if there is none now.
    case defaultChanged(AudioSource?)
    /// A recording would use another source, or the same for another reason, or fail.
    case choiceChanged(Result<SourceChoice, ACCAudioRecorderError>)
}

/// The applications that play at one moment, and the one that a recording would capture.
public struct ApplicationList: Sendable, Hashable {
    /// The applications, in the server's order.
    public let applications: [AudioApplication]
    /// The streams that a recording would capture, by their indexes; empty if it would wait, or captures a source. Or the
    /// error that it would fail with.
    public let choice: Result<[UInt32], ACCAudioRecorderError>

    /// Creates a list, for tests of code that receives lists of applications.
    public init(applications: [AudioApplication], choice: Result<[UInt32], ACCAudioRecorderError> = .success([])) {
        self.applications = applications
        self.choice = choice
    }

    /// Asks the server.
    init(
        connection: any CaptureConnection, for configuration: ACCAudioRecorder.Configuration
    ) async throws(CaptureFailure) {
        let streams = try await connection.applicationStreams()
        let sources = try await connection.sourceCatalog().sources
        let sinks = sources.compactMap { source in source.sinkIndex.map { ($0, source.sinkName) } }
        applications = AudioApplication.all(playing: streams, to: Dictionary(sinks) { $1 })
        choice = Result { () throws(ACCAudioRecorderError) in
            guard let requested = configuration.input.application else { return [] }
            return try ApplicationSelection(playing: streams).choice(requested: requested)?.streams.map(\.index) ?? []
        }
    }
}

extension AudioSource {
    /// The name of the sink that it is the monitor of.
    fileprivate var sinkName: String { name.hasSuffix(".monitor") ? String(name.dropLast(".monitor".count)) : name }
}

/// Watches a list of what a server has, as long as it answers.
struct ServerListWatch<List: Equatable> {
    let backend: any CaptureBackend
    /// Whether a change at the server may change the list.
    let isConcerned: @Sendable (ServerChange) -> Bool
    /// Asks the server for the list.
    let list: (any CaptureConnection) async throws(CaptureFailure) -> List

    /// Servers send several events for one change, some of them before it has settled.
    private static var settlingTime: Duration { .milliseconds(100) }

    /// Passes on the list now and whenever it has changed, until the task is cancelled.
    ///
    /// - Throws: If no server answers, or the connection breaks.
    func run(_ onChange: (List) -> Void) async throws(CaptureFailure) {
        let connection = try await backend.connect()
        // All events that arrive during a query lead to one more query.
        let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await connection.observe { [isConcerned] change in
            if isConcerned(change) { continuation.yield() }
        }
        let closing = Task {
            await connection.waitUntilClosed()
            continuation.finish()
        }
        defer { closing.cancel() }

        var last = try await list(connection)
        onChange(last)
        for await _ in events {
            // No event says when the change has settled.
            try? await Task.sleep(for: Self.settlingTime)
            let list = try await list(connection)
            if list != last { onChange(list) }
            last = list
        }
        if !Task.isCancelled { throw CaptureFailure(.noServer, "Connection terminated") }
    }
}

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
    @nonexhaustive
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
    @nonexhaustive
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
