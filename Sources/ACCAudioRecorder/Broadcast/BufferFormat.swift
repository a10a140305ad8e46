/// The sample rate and channel count that a subscriber asks for; nil for the recording's.
struct BufferFormat: Sendable, Hashable {
    /// In Hz.
    let sampleRate: Int?
    let channelCount: Int?

    /// The recording's.
    static let recording = BufferFormat(sampleRate: nil, channelCount: nil)
}
