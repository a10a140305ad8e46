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
            try await SourceSelection(connection: connection, for: configuration), requested: configuration.sourceName,
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
