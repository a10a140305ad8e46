import ACCAudioRecorder

/// A change of the source list as printed by `accrec devices --watch`.
struct SourceListChangeText {
    let change: SourceListChange

    var text: String {
        switch change {
        case .added(let source): "added \(source.name): \(source.description), \(source.kind), \(source.sampleSpec)"
        case .removed(let source): "removed \(source.name)"
        case .changed(let source, let before):
            "changed \(source.name): \(Self.differences(of: source, from: before).joined(separator: "; "))"
        case .defaultChanged(let source): "default \(source?.name ?? "none")"
        case .choiceChanged(.success(let choice)):
            "recorded by default: \(choice.source.name) (\(DeviceTable.text(of: .success(choice))))"
        case .choiceChanged(let failure): "recorded by default: \(DeviceTable.text(of: failure))"
        }
    }

    private static func differences(of source: AudioSource, from before: AudioSource) -> [String] {
        var differences: [String] = []
        func add<Value: Equatable>(_ property: KeyPath<AudioSource, Value>, _ text: String) {
            if source[keyPath: property] != before[keyPath: property] { differences.append(text) }
        }
        add(\.name, "was \(before.name)")
        add(\.description, source.description)
        add(\.kind, "\(source.kind)")
        add(\.isFilter, source.isFilter ? "a filter" : "no filter")
        add(\.sampleSpec, "\(source.sampleSpec)")
        add(\.channelMap, "\(source.channelMap)")
        add(\.state, "\(source.state)")
        add(\.isMuted, source.isMuted ? "muted" : "not muted")
        add(\.volume, "volume \(source.volume)")
        add(\.port, source.port.map { "port \($0)" } ?? "no port")
        add(\.isAvailable, source.isAvailable ? "plugged in" : "not plugged in")
        return differences
    }
}
