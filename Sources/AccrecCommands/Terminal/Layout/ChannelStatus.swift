/// What the meter shows of a channel, in dBFS.
struct ChannelStatus: Equatable {
    var rms: Float = -120
    var peak: Float = -120
    /// The highest peak of the last seconds.
    var held: Float = -120
    /// Samples at full scale since the take began.
    var clippedCount = 0
}
