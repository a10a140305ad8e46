/// The sources of a sound server at one moment, and which of them a recording would take.
public struct SourceList: Sendable, Hashable {
    /// All sources, monitors included, in the server's order.
    public let sources: [AudioSource]
    /// The source that a recording would take, and why; or the error that it would fail with.
    public let choice: Result<SourceChoice, ACCAudioRecorderError>

    /// The server's default source, if it has one.
    public var defaultSource: AudioSource? { sources.first(where: \.isDefault) }

    /// - Parameter requestedByEnvironment: The source that the environment names.
    init(_ selection: SourceSelection, requested: String?, requestedByEnvironment: String?) {
        sources = selection.sources
        choice = Result { () throws(ACCAudioRecorderError) in
            try selection.choice(requested: requested, byEnvironment: requestedByEnvironment)
        }
    }

    /// What is different from an earlier list: sources that went, that came, that are not as they were, each in the
    /// server's order; then the default, and the choice.
    public func changes(since earlier: SourceList) -> [SourceListChange] {
        let before = Dictionary(earlier.sources.map { ($0.id, $0) }) { $1 }
        let now = Set(sources.map(\.id))
        var changes = earlier.sources.filter { !now.contains($0.id) }.map { SourceListChange.removed($0) }
        changes += sources.filter { before[$0.id] == nil }.map { .added($0) }
        changes += sources.compactMap { source in
            before[source.id].flatMap { $0.isSameButForDefault(as: source) ? nil : .changed(source, from: $0) }
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
        control: PulseControl, for configuration: ACCAudioRecorder.Configuration
    ) async throws(PulseFailure) {
        self.init(
            try await SourceSelection(control: control, for: configuration), requested: configuration.sourceName,
            requestedByEnvironment: SourceSelection.requestedByEnvironment)
    }
}

extension AudioSource {
    fileprivate func isSameButForDefault(as other: AudioSource) -> Bool {
        var other = other
        other.isDefault = isDefault
        // Not the source's own.
        other.graphRate = graphRate
        return self == other
    }
}
