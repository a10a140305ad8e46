import ACCAudioRecorder
import FoundationEssentials

/// The list of sources as `accrec devices` prints it: two lines per source with its number, then the one that would be
/// chosen.
struct DeviceTable {
    let list: SourceList

    var lines: [String] {
        guard !list.sources.isEmpty else { return [] }
        let chosen = try? list.choice.get().source
        let width = list.sources.map { "\($0.id)".count }.max() ?? 0
        // What people look for comes first: monitors are many.
        let sources = list.sources.filter { !$0.isMonitor } + list.sources.filter(\.isMonitor)
        let lines = sources.flatMap { source in
            let marks = (source.id == chosen?.id ? ">" : " ") + (source.isDefault ? "*" : " ")
            let notes = notes(on: source).map { "  [\($0)]" }.joined()
            let number = "\(source.id)"
            let padding = String(repeating: " ", count: width - number.count)
            return [
                "\(marks) \(padding)\(number)  \(source.name)\(notes)",
                String(repeating: " ", count: width + 7)
                    + "\(source.description): \(source.sampleSpec), \(source.state)",
            ]
        }
        let legend = list.sources.contains(where: \.isDefault) ? ["* is the server's default"] : []
        return lines + legend + ["recorded by default: \(Self.text(of: list.choice))"]
    }

    /// Why a source would be chosen, or why none would be.
    static func text(of choice: Result<SourceChoice, ACCAudioRecorderError>) -> String {
        switch choice {
        case .success(let choice) where choice.reason == .named: "named by --device or the configuration file"
        case .success(let choice): "\(choice)"
        case .failure(let error): "none; \(ErrorText.lineBelowList(error))"
        }
    }

    private func notes(on source: AudioSource) -> [String] {
        var notes = ["\(source.kind)"]
        if source.isFilter { notes.append("filter") }
        if source.isMuted { notes.append("muted") }
        if !source.volume.isUnity { notes.append("volume \(source.volume)") }
        if !source.isAvailable { notes.append("not plugged in") }
        return notes
    }
}

extension DeviceTable {
    /// A line of `accrec devices --watch --json`. The manual page documents the keys.
    struct WatchRecord: Encodable {
        let event: String
        /// In UTC (ISO 8601).
        let time = Date.now.textInJSON
        var sources: [Record]?
        var source: Record?
        var reason: String?

        /// The initial list of sources.
        init(_ list: SourceList) {
            event = "sources"
            sources = list.sources.map { Record($0, in: list) }
            reason = DeviceTable.text(of: list.choice)
        }

        /// A change, with the list that resulted from it.
        init(_ change: SourceListChange, in list: SourceList) {
            let subject: AudioSource?
            switch change {
            case .added(let source): (event, subject) = ("added", source)
            case .removed(let source): (event, subject) = ("removed", source)
            case .changed(let source, _): (event, subject) = ("changed", source)
            case .defaultChanged(let source): (event, subject) = ("default", source)
            case .choiceChanged(let choice):
                (event, subject) = ("chosen", try? choice.get().source)
                reason = DeviceTable.text(of: choice)
            }
            source = subject.map { Record($0, in: list) }
        }
    }

    /// A source as printed by `accrec devices --json`. The manual page documents the keys.
    struct Record: Encodable {
        private let source: AudioSource
        private let isChosen: Bool

        private enum CodingKeys: CodingKey {
            case isChosen
        }

        init(_ source: AudioSource, in list: SourceList) {
            self.source = source
            isChosen = source.id == (try? list.choice.get().source.id)
        }

        func encode(to encoder: any Encoder) throws {
            try source.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(isChosen, forKey: .isChosen)
        }
    }
}

extension SourceListChange {
    /// The change as printed by `accrec devices --watch`.
    var text: String {
        switch self {
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
