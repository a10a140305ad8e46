import ACCAudioRecorder
import FoundationEssentials

/// A line of `accrec devices --watch --json`. The manual page documents the keys.
struct SourceListRecord: Encodable {
    let event: String
    /// In UTC (ISO 8601).
    let time = Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
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
    let index: UInt32
    let name: String
    let description: String
    let kind: String
    let state: String
    let isDefault: Bool
    let isChosen: Bool
    let isMonitor: Bool
    let isFilter: Bool
    let isMuted: Bool
    let isAvailable: Bool
    let volume: [Int]
    let sampleFormat: String
    let sampleRate: Int
    let channels: Int
    let channelMap: [String]

    init(_ source: AudioSource, in list: SourceList) {
        index = source.id
        name = source.name
        description = source.description
        kind = source.kind.rawValue
        state = source.state.rawValue
        isDefault = source.isDefault
        isChosen = source.id == (try? list.choice.get().source.id)
        isMonitor = source.isMonitor
        isFilter = source.isFilter
        isMuted = source.isMuted
        isAvailable = source.isAvailable
        volume = source.volume.percentages
        sampleFormat = source.sampleSpec.format.pulseName
        sampleRate = source.sampleSpec.sampleRate
        channels = source.sampleSpec.channelCount
        channelMap = source.channelMap.positions.map(\.rawValue)
    }
}
