import ACCAudioRecorder

/// The source of a recording, as events and reports have it.
struct StreamSourceRecord: Encodable, Sendable {
    let name: String
    let description: String
    let sampleFormat: String
    let sampleRate: Int
    let channels: Int
    let port: String?

    init(_ source: AudioSource) {
        name = source.name
        description = source.description
        sampleFormat = source.sampleSpec.format.pulseName
        sampleRate = source.sampleSpec.sampleRate
        channels = source.sampleSpec.channelCount
        port = source.port
    }
}
