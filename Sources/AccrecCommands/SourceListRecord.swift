import ACCAudioRecorder
import FoundationEssentials

/// A line of `accrec devices --watch --json`. The manual page documents the keys.
struct SourceListRecord: Encodable {
    let event: String
    /// In UTC, after ISO 8601.
    let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    var sources: [SourceRecord]?
    var source: SourceRecord?
    var reason: String?

    /// All there is at first.
    init(_ list: SourceList) {
        event = "sources"
        sources = list.sources.map { SourceRecord($0, in: list) }
        reason = DeviceTable.text(of: list.choice)
    }

    /// A change that led to a list.
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
