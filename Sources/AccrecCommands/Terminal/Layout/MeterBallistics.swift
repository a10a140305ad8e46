import ACCAudioRecorder

/// Makes of levels, as they are measured, what the meter shows: no peak between two drawings is missed, and the highest
/// ones stand for a while.
struct MeterBallistics {
    private(set) var channels: [ChannelStatus] = []
    private var holds: [PeakHold] = []
    private var wasDrawn = true

    mutating func update(_ levels: RecordingLevels) {
        if channels.count != levels.channels.count {
            channels = levels.channels.map { _ in ChannelStatus() }
            holds = levels.channels.map { _ in PeakHold() }
        }
        for (index, level) in levels.channels.enumerated() {
            let peak = level.peakDecibels
            holds[index].update(peak, at: levels.timestamp)
            channels[index].rms = level.rmsDecibels
            channels[index].peak = wasDrawn ? peak : max(channels[index].peak, peak)
            channels[index].held = holds[index].decibels
            channels[index].clippedCount += level.clippedCount
        }
        wasDrawn = false
    }

    /// There is nothing to measure: the bars are empty until there is again.
    mutating func rest() {
        for index in channels.indices {
            channels[index] = ChannelStatus(clippedCount: channels[index].clippedCount)
            holds[index] = PeakHold()
        }
    }

    /// What was measured until now has been drawn.
    mutating func noteDrawn() {
        wasDrawn = true
    }
}
