import ACCAudioRecorder
import FoundationEssentials

/// A line of `accrec devices --watch --json`. The manual page documents the keys.
struct SourceListRecord: Encodable {
    let event: String
    /// In UTC (ISO 8601).
    let time = Date.now.textInJSON
    var sources: [SourceRecord]?
    var source: SourceRecord?
    var reason: String?

    /// The initial list of sources.
    init(_ list: SourceList) {
        event = "sources"
        sources = list.sources.map { SourceRecord($0, in: list) }
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
        source = subject.map { SourceRecord($0, in: list) }
    }
}

/// A source as printed by `accrec devices --json`. The manual page documents the keys.
struct SourceRecord: Encodable {
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
