import ACCAudioRecorder

/// A source as `accrec devices --json` prints it. The manual page documents the keys.
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
