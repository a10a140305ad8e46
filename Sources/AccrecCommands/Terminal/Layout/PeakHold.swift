import ACCAudioRecorder

/// The highest peak of each channel, held for a while, then falling.
struct PeakHold {
    /// How long a peak stands, in seconds.
    private static let holdTime = 1.5
    /// How fast it falls then, in dB a second.
    private static let decay: Float = 20

    /// The held peak of each channel in dBFS.
    private(set) var decibels: [Float] = []
    private var setAt: [Double] = []
    private var lastUpdate = 0.0

    /// The highest of all channels in dBFS.
    var highest: Float { decibels.max() ?? -120 }

    mutating func update(_ levels: RecordingLevels) {
        if decibels.count != levels.channels.count {
            decibels = levels.channels.map(\.peakDecibels)
            setAt = levels.channels.map { _ in levels.timestamp }
        }
        let fall = Self.decay * Float(levels.timestamp - lastUpdate)
        for (channel, level) in levels.channels.enumerated() {
            if level.peakDecibels >= decibels[channel] {
                decibels[channel] = level.peakDecibels
                setAt[channel] = levels.timestamp
            } else if levels.timestamp - setAt[channel] > Self.holdTime {
                decibels[channel] = max(decibels[channel] - fall, level.peakDecibels)
            }
        }
        lastUpdate = levels.timestamp
    }
}
