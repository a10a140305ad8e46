import ACCAudioRecorder

/// The level of a channel, in dBFS.
struct LevelRecord: Encodable, Sendable {
    let peak: Float
    let rms: Float
    /// Samples at full scale.
    let clipped: Int

    init(_ level: ChannelLevel) {
        peak = level.peakDecibels
        rms = level.rmsDecibels
        clipped = level.clippedCount
    }
}
