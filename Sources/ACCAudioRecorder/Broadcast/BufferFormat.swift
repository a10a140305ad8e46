/// The sample rate and channel count that a subscriber asks for; nil for the recording's.
struct BufferFormat: Sendable, Hashable {
    /// In Hz.
    let sampleRate: Int?
    let channelCount: Int?
}
