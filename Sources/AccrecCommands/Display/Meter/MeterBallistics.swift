import ACCAudioRecorder

/// Turns measured levels into displayed ones: no peak between two draws is missed, and the highest peaks are held for a
/// moment.
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

    /// Empties the bars because nothing is being measured.
    mutating func clear() {
        for index in channels.indices {
            channels[index] = ChannelStatus(clippedCount: channels[index].clippedCount)
            holds[index] = PeakHold()
        }
    }

    /// Forgets held peaks and clipping.
    mutating func resetPeaks() {
        for index in channels.indices {
            channels[index].clippedCount = 0
            channels[index].held = channels[index].peak
            holds[index] = PeakHold()
        }
    }

    /// Call after drawing: the next update starts new peaks.
    mutating func didDraw() {
        wasDrawn = true
    }
}

/// The highest peak of a channel, held for a while and then decaying.
struct PeakHold {
    /// How long a peak is held, in seconds.
    private static let holdTime = 1.5
    /// The decay after that, in dB per second.
    private static let decay: Float = 20

    /// In dBFS.
    private(set) var decibels = DecibelText.silence
    private var setAt = 0.0
    private var lastUpdate = 0.0

    /// Updates with a peak in dBFS and its time in seconds.
    mutating func update(_ peak: Float, at time: Double) {
        if peak >= decibels {
            decibels = peak
            setAt = time
        } else if time - setAt > Self.holdTime {
            decibels = max(decibels - Self.decay * Float(time - lastUpdate), peak)
        }
        lastUpdate = time
    }
}
